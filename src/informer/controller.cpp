#include "kubexx/informer/controller.hpp"

#include <latch>
#include <memory>

#include "informer/sync_signal.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"

namespace kubexx::informer {
namespace {

constexpr int kPopsPerTurn = 16;  // then others on the executor get their turn

Result<void> guarded(const delta::Queue::Process& process, delta::Deltas& deltas, bool initial) {
  try {
    return process(deltas, initial);
  } catch (...) {
    return current_exception_as_error();
  }
}

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

struct Controller::State : std::enable_shared_from_this<State> {
  State(Config c, Strand s) : config(std::move(c)), strand(std::move(s)) {}

  void drain() {
    scheduled = false;
    for (int i = 0; i < kPopsPerTurn && !stopped; ++i) {
      Result<bool> popped =
          config.process_batch ? config.queue->try_pop_batch(wrapped_batch, wrapped) : config.queue->try_pop(wrapped);
      tell_if_synced();
      if (popped && !*popped) {
        if (config.caught_up) config.caught_up();
        return;
      }
      if (!popped) log(LogLevel::Warning, "processing a change failed", {{"error", popped.error()}});
    }
    if (!stopped) schedule();
  }

  void schedule() {
    if (scheduled.exchange(true)) return;
    strand.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->drain();
    });
  }

  /// Once, to those who wait for has_synced().
  void tell_if_synced() {
    if (told || !config.queue->has_synced()) return;
    told = true;
    SyncSignal::fire();
  }

  /// The process function, with what failed put back when that is wanted.
  delta::Queue::Process retrying(const delta::Queue::Process& process) {
    if (!config.retry_on_error) return process;
    return [this, process](delta::Deltas& deltas, bool initial) -> Result<void> {
      auto copy = deltas;
      auto done = guarded(process, deltas, initial);
      if (done) return done;
      if (auto back = config.queue->add_if_not_present(std::move(copy)); !back) return back;
      return done;
    };
  }

  Config config;
  Strand strand;
  std::shared_ptr<reflector::Reflector> reflector;
  delta::Queue::Process wrapped;
  delta::Queue::Process wrapped_batch;
  std::atomic<bool> scheduled{false};
  std::atomic<bool> started{false};
  bool stopped = false;  // strand only
  bool told = false;     // strand only; that it is synced
};

Controller::Controller(std::shared_ptr<State> state) : state_(std::move(state)) {}
Controller::~Controller() = default;

std::shared_ptr<Controller> Controller::create(Config config, Strand strand) {
  auto state = std::make_shared<State>(std::move(config), std::move(strand));
  state->wrapped = state->retrying(state->config.process);
  state->wrapped_batch = state->retrying(state->config.process_batch);
  state->config.queue->on_ready([weak = std::weak_ptr<State>(state)] {
    if (const auto self = weak.lock()) self->schedule();
  });
  auto& on_status = state->config.reflector.on_status;
  on_status = [weak = std::weak_ptr<State>(state), user = on_status](const reflector::ReflectorStatus& status) {
    if (user) user(status);
    if (const auto self = weak.lock()) self->tell_if_synced();  // an empty list leaves nothing to pop
  };
  state->reflector = reflector::Reflector::create(state->config.lister_watcher, state->config.queue, state->strand,
                                                  reflector_options(state->config));
  return std::shared_ptr<Controller>(new Controller(std::move(state)));
}

void Controller::start() {
  if (state_->started.exchange(true)) {
    log(LogLevel::Warning, "an informer's controller was started twice",
        {{"type", state_->reflector->type_description()}});
    return;
  }
  state_->reflector->start();
}

void Controller::stop(Task stopped) {
  state_->reflector->stop([state = state_, stopped = std::move(stopped)]() mutable {
    state->stopped = true;
    state->config.queue->close();
    if (stopped) stopped();
  });
}

void Controller::run(std::stop_token token) {
  if (token.stop_requested() && !state_->started) return;
  if (state_->started) return start();  // logs
  start();
  wait_for_stop(token);
  const auto ended = std::make_shared<std::latch>(1);
  stop([ended] { ended->count_down(); });
  ended->wait();
}

bool Controller::has_synced() const {
  return state_->config.queue->has_synced();
}
std::string Controller::last_sync_resource_version() const {
  return state_->reflector->last_sync_resource_version();
}
reflector::ReflectorStatus Controller::status() const {
  return state_->reflector->status();
}
void Controller::relist() {
  state_->reflector->relist();
}

}  // namespace kubexx::informer
