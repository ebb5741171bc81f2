#include "kubexx/reflector/reflector.hpp"

#include <latch>
#include <memory>
#include <mutex>

#include "kubexx/base/stop.hpp"
#include "reflector/machine.hpp"

namespace kubexx::reflector {

std::string_view to_string(ReflectorState state) noexcept {
  switch (state) {
    case ReflectorState::Idle:
      return "idle";
    case ReflectorState::Listing:
      return "listing";
    case ReflectorState::WatchListing:
      return "watch-listing";
    case ReflectorState::Opening:
      return "opening";
    case ReflectorState::Watching:
      return "watching";
    case ReflectorState::BackingOff:
      return "backing off";
    case ReflectorState::Parked:
      return "parked";
    case ReflectorState::Polling:
      return "polling";
    case ReflectorState::Stopped:
      return "stopped";
  }
  return "unknown";
}

Reflector::Reflector(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reflector::~Reflector() {
  state_->drop_call();  // they end on the strand, where their callbacks run
}

std::shared_ptr<Reflector> Reflector::create(std::shared_ptr<ListerWatcher> source, std::shared_ptr<DeltaSink> sink,
                                             Strand strand, ReflectorOptions options, const char* file, int line) {
  if (options.name.empty()) {
    const std::string_view path(file);
    options.name = std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line);
  }
  if (options.type_description.empty()) {
    options.type_description = options.expected_kind ? options.expected_kind->to_string() : "<unspecified>";
  }
  auto state = std::make_unique<State>(std::move(source), std::move(sink), std::move(strand), std::move(options));
  std::shared_ptr<Reflector> reflector(new Reflector(std::move(state)));
  reflector->state_->self = reflector;
  return reflector;
}

void Reflector::start() {
  state_->strand.post([self = shared_from_this()] { self->state_->begin(); });
}

void Reflector::stop(Task stopped) {
  state_->strand.post([self = shared_from_this(), stopped = std::move(stopped)]() mutable {
    self->state_->halt();
    // Behind the destruction of the calls that halt() gave up.
    if (stopped) self->state_->strand.post(std::move(stopped));
  });
}

void Reflector::run(std::stop_token token) {
  state_->strand.post([self = shared_from_this(), token] {
    if (!token.stop_requested()) self->state_->begin();
  });
  wait_for_stop(token);
  const auto ended = std::make_shared<std::latch>(1);
  stop([ended] { ended->count_down(); });
  ended->wait();
}

void Reflector::relist() {
  state_->strand.post([self = shared_from_this()] {
    auto& state = *self->state_;
    if (!state.started || state.stopped) return;
    state.count_restart("asked");
    state.guarded([&] { state.round(); });
  });
}

std::string Reflector::last_sync_resource_version() const {
  return status().last_sync_resource_version;
}

ReflectorStatus Reflector::status() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status;
}

const std::string& Reflector::name() const noexcept {
  return state_->options.name;
}
const std::string& Reflector::type_description() const noexcept {
  return state_->options.type_description;
}

}  // namespace kubexx::reflector
