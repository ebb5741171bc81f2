#include "informer/pipe.hpp"

#include <new>
#include <utility>
#include <variant>

#include "base/internal/insist.hpp"
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
      queue_(std::move(config_.queue)) {}

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

std::shared_ptr<Pipe::Part> Pipe::add_part(std::string namespace_) {
  auto part = std::make_shared<Part>(shared_from_this(), std::move(namespace_));
  parts_.push_back(part.get());
  ++awaited_;
  return part;
}

void Pipe::drop(Part& part) {
  std::erase(parts_, &part);
  if (part.awaited_) --awaited_;
  part.pipe_.reset();
}

void Pipe::keep_only(std::vector<std::string> namespaces) {
  static_cast<void>(change([&](auto& queue) {
    queue.replace({}, {}, false, delta::Coverage{.namespaces = std::move(namespaces), .others = true});
    mark_ = queue.mark();  // nothing is whole before they are gone
  }));
}

Result<void> Pipe::replace(Part& part, std::vector<meta::Object> objects, std::string resource_version, bool repairs) {
  auto keyed = intake_.take(std::move(objects));
  if (!keyed) return keyed.error();
  part.knows_of_rollback = false;
  return change([&](auto& queue) {
    queue.replace(std::move(*keyed), std::move(resource_version), repairs, coverage_of(part));
    no_longer_awaited(part);
  });
}

/// The reflector goes on from the version of the file: without its objects that would be a cache with holes.
void Pipe::restore(Part& part, const RestoredPart& from) {
  if (!part.pipe_ || !part.awaited_) return;
  try {
    insist([&] {
      static_cast<void>(
          change([&](auto& queue) { queue.replace(from.objects, from.resource_version, false, coverage_of(part)); }));
    });
  } catch (const std::bad_alloc&) {
    report_error(current_exception_as_error(), "controller");
    if (on_loss) on_loss();
  }
}

void Pipe::no_longer_awaited(Part& part) {
  if (!std::exchange(part.awaited_, false)) return;
  --awaited_;
  mark_ = std::visit([](const auto& queue) { return queue.mark(); }, queue_);
}

delta::Coverage Pipe::coverage_of(const Part& part) const {
  delta::Coverage of;
  if (parts_.size() > 1) of.namespaces.push_back(part.namespace_);  // else there is nothing beside it
  return of;
}

/// Everything that the parts are to bring is there.
bool Pipe::is_whole() const {
  return awaited_ == 0 && std::visit([&](const auto& queue) { return queue.has_processed(mark_); }, queue_);
}

/// Where there is no memory for it, it is tried again.
void Pipe::drain() {
  try {
    drain_some();
  } catch (const std::bad_alloc&) {
    report_error(current_exception_as_error(), "controller");
    lost_ = true;  // what was taken from the queue may be
    drain_later();
  }
  if (!std::exchange(lost_, false)) return;
  for (Part* part : parts_) {  // nothing is whole before each has listed again
    if (!std::exchange(part->awaited_, true)) ++awaited_;
  }
  if (on_loss) on_loss();
}

void Pipe::drain_some() {
  due_ = false;
  for (int i = 0; i < kPopsPerTurn; ++i) {
    if (stopped_) return;
    const Result<bool> popped = std::visit(
        [this](auto& queue) {
          return queue.try_pop([this](delta::Deltas& deltas, bool initial) { return process(deltas, initial); });
        },
        queue_);
    if (!popped) log(LogLevel::Warning, "processing a change failed", {{"error", popped.error()}});
    depth_ = std::visit([](const auto& queue) { return queue.size(); }, queue_);
    const bool whole = is_whole();
    if (whole) synced_ = true;
    const QueueProgress progress{.synced = synced_, .whole = whole, .empty = depth_ == 0};
    if (!tell(progress)) return drain_later();
    if (progress.empty) return;
  }
  drain_later();
}

Result<void> Pipe::process(delta::Deltas& deltas, bool initial) {
  if (!synced_) {  // until everything is there, lists are initial ones
    const auto type = deltas.front().type();
    initial = initial || type == delta::DeltaType::Replaced || type == delta::DeltaType::ReplacedAll;
  }
  if (config_.retry_on_error) return process_or_put_back(deltas, initial);
  try {
    return config_.process(deltas, initial);
  } catch (const std::bad_alloc&) {  // the cache lacks these changes: only a whole state brings them back
    lost_ = true;
    return current_exception_as_error();
  }
}

Result<void> Pipe::process_or_put_back(delta::Deltas& deltas, bool initial) {
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
}

/// False: there was no memory for it, and it is to be told again.
bool Pipe::tell(const QueueProgress& progress) {
  bool told = true;
  call_isolated("progress of a controller", [&] {
    try {
      if (config_.processed) config_.processed(progress);
    } catch (const std::bad_alloc&) {
      told = false;
      throw;
    }
  });
  return told;
}

void Pipe::drain_later() {
  if (stopped_ || std::exchange(due_, true)) return;
  strand_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->drain();
  });
}

Pipe::Part::Part(std::shared_ptr<Pipe> pipe, std::string name) : namespace_(std::move(name)), pipe_(std::move(pipe)) {}

/// Only what is of this part: nobody would take anything else away again.
Result<void> Pipe::Part::check(const meta::Object& object) const {
  if (has(object)) return {};
  return Error::config("an object of namespace \"" + std::string(object.namespace_()) + "\" among those of " +
                       namespace_);
}

Result<void> Pipe::Part::add(meta::Object object) {
  if (!pipe_) return {};
  if (auto good = check(object); !good) return good;
  return pipe_->enter(pipe_->intake_, std::move(object), [](auto& queue, meta::Key key, meta::Object entered) {
    queue.add(std::move(key), std::move(entered));
  });
}

Result<void> Pipe::Part::update(meta::Object object) {
  if (!pipe_) return {};
  if (auto good = check(object); !good) return good;
  return pipe_->enter(pipe_->intake_, std::move(object), [](auto& queue, meta::Key key, meta::Object entered) {
    queue.update(std::move(key), std::move(entered));
  });
}

Result<void> Pipe::Part::remove(meta::Object object) {
  if (!pipe_) return {};
  if (auto good = check(object); !good) return good;
  return pipe_->enter(pipe_->intake_, std::move(object), RemoveFrom());
}

Result<void> Pipe::Part::refuse(meta::Object object) {
  if (!pipe_) return {};
  if (auto good = check(object); !good) return good;
  return pipe_->enter(pipe_->untransformed_, std::move(object), RemoveFrom());
}

Result<void> Pipe::Part::replace(std::vector<meta::Object> objects, std::string resource_version) {
  if (!pipe_) return {};
  if (const auto others = std::erase_if(objects, [this](const auto& object) { return !has(object); }); others > 0) {
    log(LogLevel::Warning, "a list has objects of other namespaces",
        {{"namespace", namespace_}, {"objects", std::to_string(others)}});
  }
  return pipe_->replace(*this, std::move(objects), std::move(resource_version), false);
}

Result<void> Pipe::Part::repair(std::vector<meta::Object> objects, std::string resource_version) {
  if (!pipe_) return {};
  std::erase_if(objects, [this](const auto& object) { return !has(object); });
  return pipe_->replace(*this, std::move(objects), std::move(resource_version), true);
}

Result<void> Pipe::Part::resync() {
  if (!pipe_) return {};
  return pipe_->change([](auto& queue) { queue.resync(); });
}

void Pipe::Part::confirm() {
  if (pipe_) static_cast<void>(pipe_->change([this](auto&) { pipe_->no_longer_awaited(*this); }));
}

void Pipe::Part::bookmark(std::string_view resource_version) {
  if (pipe_) static_cast<void>(pipe_->change([&](auto& queue) { queue.bookmark(resource_version); }));
}

}  // namespace kubexx::informer
