#include "informer/pipe.hpp"

#include <utility>
#include <variant>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::informer {
namespace {

constexpr int kPopsPerTurn = 16;  // then others on the executor get their turn

struct RemoveFrom {
  template <class Queue>
  void operator()(Queue& queue, meta::Key key, meta::Object object) const {
    queue.remove(std::move(key), std::move(object));
  }
};

}  // namespace

Pipe::Pipe(Config config, Strand strand)
    : config_(std::move(config)),
      intake_(config_.key_func, config_.transform),
      untransformed_(config_.key_func, {}),
      strand_(std::move(strand)),
      queue_(std::move(config_.queue)) {
  process_ = config_.process;
  if (!config_.retry_on_error) return;
  process_ = [this](delta::Deltas& deltas, bool initial) -> Result<void> {
    auto copy = deltas;
    auto done = [&]() -> Result<void> {
      try {
        return config_.process(deltas, initial);
      } catch (...) {
        return current_exception_as_error();
      }
    }();
    if (done) return done;
    auto back = std::visit([&](auto& queue) { return queue.add_if_not_present(std::move(copy)); }, queue_);
    return back ? done : back;
  };
}

template <class Change>
Result<void> Pipe::change(Change make) {
  std::visit(make, queue_);
  depth_ = std::visit([](const auto& queue) { return queue.size(); }, queue_);
  if (!std::exchange(due_, true)) {
    strand_.defer([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->drain();
    });
  }
  return {};
}

template <class Change>
Result<void> Pipe::enter(const delta::Intake& intake, meta::Object object, Change make) {
  auto keyed = intake.take(std::move(object));
  if (!keyed) return keyed.error();
  return change([&](auto& queue) { make(queue, std::move(keyed->key), std::move(keyed->object)); });
}

Result<void> Pipe::add(meta::Object object) {
  return enter(intake_, std::move(object),
               [](auto& queue, meta::Key key, meta::Object entered) { queue.add(std::move(key), std::move(entered)); });
}

Result<void> Pipe::update(meta::Object object) {
  return enter(intake_, std::move(object), [](auto& queue, meta::Key key, meta::Object entered) {
    queue.update(std::move(key), std::move(entered));
  });
}

Result<void> Pipe::remove(meta::Object object) {
  return enter(intake_, std::move(object), RemoveFrom());
}

Result<void> Pipe::refuse(meta::Object object) {
  return enter(untransformed_, std::move(object), RemoveFrom());
}

Result<void> Pipe::replace(std::vector<meta::Object> objects, std::string resource_version, bool repairs) {
  auto keyed = intake_.take(std::move(objects));
  if (!keyed) return keyed.error();
  return change([&](auto& queue) { queue.replace(std::move(*keyed), std::move(resource_version), repairs); });
}

Result<void> Pipe::replace(std::vector<meta::Object> objects, std::string resource_version) {
  return replace(std::move(objects), std::move(resource_version), false);
}

Result<void> Pipe::repair(std::vector<meta::Object> objects, std::string resource_version) {
  return replace(std::move(objects), std::move(resource_version), true);
}

Result<void> Pipe::resync() {
  return change([](auto& queue) { queue.resync(); });
}

void Pipe::bookmark(std::string_view resource_version) {
  static_cast<void>(change([&](auto& queue) { queue.bookmark(resource_version); }));
}

void Pipe::drain() {
  due_ = false;
  for (int i = 0; i < kPopsPerTurn; ++i) {
    if (stopped_) return;
    const Result<bool> popped = std::visit([&](auto& queue) { return queue.try_pop(process_); }, queue_);
    if (!popped) log(LogLevel::Warning, "processing a change failed", {{"error", popped.error()}});
    const QueueProgress progress = std::visit(
        [&](const auto& queue) {
          depth_ = queue.size();
          return QueueProgress{queue.has_synced(), queue.empty()};
        },
        queue_);
    if (progress.synced) synced_ = true;
    if (config_.processed) call_isolated("progress of a controller", [&] { config_.processed(progress); });
    if (progress.empty) return;
  }
  if (stopped_ || std::exchange(due_, true)) return;
  strand_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->drain();
  });
}

}  // namespace kubexx::informer
