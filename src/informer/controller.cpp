#include "kubexx/informer/controller.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "informer/pipe.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::informer {
namespace {

reflector::ReflectorOptions reflector_of(const Config& config) {
  auto options = config.reflector;
  if (config.object_type) options.expected_kind = config.object_type;
  if (!config.object_description.empty()) options.type_description = config.object_description;
  if (config.full_resync_period > Duration::zero()) options.resync_period = config.full_resync_period;
  if (config.should_resync) options.should_resync = config.should_resync;
  if (config.watch_error_handler) options.watch_error_handler = config.watch_error_handler;
  if (config.page_size) options.page_size = *config.page_size;
  return options;
}

}  // namespace

struct Controller::Impl {
  explicit Impl(Strand s) : strand(std::move(s)) {}
  /// Whether somebody runs it: then the two below are there, and stay.
  bool runs() const noexcept { return running.load(std::memory_order_acquire); }

  const Strand strand;
  std::mutex mutex;
  std::optional<Config> config;  // guarded by mutex; until the start
  bool started = false;          // guarded by mutex
  bool stopped = false;          // guarded by mutex
  std::shared_ptr<Pipe> pipe;
  std::shared_ptr<reflector::Reflector> reflector;
  std::atomic<bool> running{false};
};

Controller::Controller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Controller::~Controller() = default;

std::shared_ptr<Controller> Controller::create(Strand strand) {
  return std::shared_ptr<Controller>(new Controller(std::make_unique<Impl>(std::move(strand))));
}

std::shared_ptr<Controller> Controller::create(Config config, Strand strand) {
  auto made = create(std::move(strand));
  made->impl_->config = std::move(config);
  return made;
}

void Controller::start() {
  std::optional<Config> config;
  {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->started && !impl_->config) throw std::logic_error("a controller without a Config cannot start");
    config.swap(impl_->config);
  }
  start(config ? std::move(*config) : Config());
}

void Controller::start(Config config) {
  {
    const std::lock_guard lock(impl_->mutex);
    const bool refused = std::exchange(impl_->started, true) || impl_->stopped;
    if (refused) {
      log(LogLevel::Warning, "an informer's controller was started twice or after its end",
          {{"type", impl_->runs() ? impl_->reflector->type_description() : config.object_description}});
      return;
    }
    auto options = reflector_of(config);
    auto source = config.lister_watcher;
    impl_->pipe = std::make_shared<Pipe>(std::move(config), impl_->strand);
    impl_->reflector = reflector::Reflector::create(std::move(source), impl_->pipe, impl_->strand, std::move(options));
    impl_->running.store(true, std::memory_order_release);
  }
  impl_->reflector->start();
}

void Controller::stop(Task stopped) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
  }
  if (!impl_->runs()) {
    if (stopped) impl_->strand.post(std::move(stopped));
    return;
  }
  impl_->reflector->stop([pipe = impl_->pipe, stopped = std::move(stopped)]() mutable {
    pipe->stop();
    if (stopped) stopped();
  });
}

void Controller::run(std::stop_token token) {
  const bool again = impl_->runs();
  if (!again && token.stop_requested()) return;
  start();  // a second one, or one after the end, is logged
  if (again || !impl_->runs()) return;
  const kubexx::detail::Awaited awaited{impl_->strand.executor().get()};
  const auto ended = std::make_shared<kubexx::detail::Ended>();
  ended->wait(awaited, token).value();
  stop([ended] { ended->tell(); });
  ended->wait(awaited).value();
}

bool Controller::has_synced() const {
  return impl_->runs() && impl_->pipe->has_synced();
}
std::string Controller::last_sync_resource_version() const {
  return impl_->runs() ? impl_->reflector->last_sync_resource_version() : std::string();
}
reflector::ReflectorStatus Controller::status() const {
  return impl_->runs() ? impl_->reflector->status() : reflector::ReflectorStatus();
}
std::size_t Controller::queue_depth() const {
  return impl_->runs() ? impl_->pipe->depth() : 0;
}
void Controller::relist() {
  if (impl_->runs()) impl_->reflector->relist();
}

}  // namespace kubexx::informer
