#include "kubexx/informer/controller.hpp"

#include <atomic>
#include <memory>

#include "informer/pipe.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::informer {
namespace {

reflector::ReflectorOptions reflector_options(const Config& config) {
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
  std::shared_ptr<Executor> executor;
  std::shared_ptr<Pipe> pipe;
  std::shared_ptr<reflector::Reflector> reflector;
  std::atomic<bool> started{false};
};

Controller::Controller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Controller::~Controller() = default;

std::shared_ptr<Controller> Controller::create(Config config, Strand strand) {
  auto impl = std::make_unique<Impl>();
  auto options = reflector_options(config);
  auto source = config.lister_watcher;
  impl->executor = strand.executor();
  impl->pipe = std::make_shared<Pipe>(std::move(config), strand);
  impl->reflector = reflector::Reflector::create(std::move(source), impl->pipe, std::move(strand), std::move(options));
  return std::shared_ptr<Controller>(new Controller(std::move(impl)));
}

void Controller::start() {
  if (impl_->started.exchange(true)) {
    log(LogLevel::Warning, "an informer's controller was started twice",
        {{"type", impl_->reflector->type_description()}});
    return;
  }
  impl_->reflector->start();
}

void Controller::stop(Task stopped) {
  impl_->reflector->stop([pipe = impl_->pipe, stopped = std::move(stopped)]() mutable {
    pipe->stop();
    if (stopped) stopped();
  });
}

void Controller::run(std::stop_token token) {
  if (token.stop_requested() && !impl_->started) return;
  if (impl_->started) return start();  // logs
  start();
  const kubexx::detail::Awaited awaited{impl_->executor.get()};
  const auto ended = std::make_shared<kubexx::detail::Ended>();
  ended->wait(awaited, token).value();
  stop([ended] { ended->tell(); });
  ended->wait(awaited).value();
}

bool Controller::has_synced() const {
  return impl_->pipe->has_synced();
}
std::string Controller::last_sync_resource_version() const {
  return impl_->reflector->last_sync_resource_version();
}
reflector::ReflectorStatus Controller::status() const {
  return impl_->reflector->status();
}
std::size_t Controller::queue_depth() const {
  return impl_->pipe->depth();
}
void Controller::relist() {
  impl_->reflector->relist();
}

}  // namespace kubexx::informer
