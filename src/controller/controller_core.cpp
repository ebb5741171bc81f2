#include "kubexx/controller/controller_core.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/internal/text.hpp"
#include "controller/controller_impl.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/informer/sync.hpp"
#include "kubexx/meta/owner_reference.hpp"

namespace kubexx::controller {
namespace {

ControllerOptions checked(ControllerOptions options, const Subject& subject) {
  if (!options.executor || !options.handlers) throw std::logic_error("a controller needs its executors");
  if (options.workers == 0) throw std::logic_error("a controller needs a worker");
  if (options.name.empty()) options.name = to_lower(subject.kind.kind);
  if (!options.metrics) options.metrics = MetricsRegistry::process();
  return options;
}

workqueue::QueueOptions<meta::ObjectKey> queue_options(const ControllerOptions& options,
                                                       std::function<void(std::size_t)> on_ready) {
  workqueue::QueueOptions<meta::ObjectKey> result;
  result.name = options.name;
  result.metrics = options.metrics;
  result.storage = std::make_unique<workqueue::PriorityStorage<meta::ObjectKey>>();
  result.on_ready = std::move(on_ready);
  return result;
}

}  // namespace

/// Turns the changes of one source into keys.
class ControllerCore::Impl::Handler final : public informer::ResourceEventHandler {
 public:
  Handler(Impl& controller, Mapper mapper, Predicate predicate)
      : controller_(controller), mapper_(std::move(mapper)), predicate_(std::move(predicate)) {}

  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override {
    const meta::Object none;
    if (!wanted({none, object, context.cause()})) return;
    add(object, initial ? kLowPriority : 0);
  }
  void on_update(const meta::Object& before, const meta::Object& after,
                 const informer::EventContext& context) override {
    if (!wanted({before, after, context.cause()})) return;
    const int priority = context.cause() == informer::EventCause::Resync ? kLowPriority : 0;
    if (mapper_) call_isolated("mapper", [&] { add(before, priority); });  // the change is not lost with it
    add(after, priority);
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override {
    const meta::Object none;
    if (!wanted({gone.last_known(), none, context.cause()})) return;
    if (!mapper_) return controller_.enqueue(gone.object_key(), 0);
    if (gone.last_known()) add(gone.last_known(), 0);
  }

 private:
  bool wanted(const Change& change) const {
    bool wanted = true;  // what a predicate could not judge is not lost
    call_isolated("predicate", [&] { wanted = predicate_(change); });
    return wanted;
  }
  void add(const meta::Object& object, int priority) const {
    if (!mapper_) return controller_.enqueue(Key::of(object), priority);
    for (const Key& key : mapper_(object)) controller_.enqueue(key, priority);
  }

  Impl& controller_;
  const Mapper mapper_;
  const Predicate predicate_;
};

ControllerCore::Impl::Impl(Subject subject, std::shared_ptr<informer::SharedIndexInformer> informer,
                           Predicate predicate, ControllerOptions options)
    : subject_(std::move(subject)),
      options_(checked(std::move(options), subject_)),
      gate_(std::make_shared<Gate<Impl>>(*this)),
      strand_(options_.executor),
      queue_(options_.executor, options_.rate_limiter,
             queue_options(
                 options_,
                 [gate = gate_](std::size_t ready) { gate->enter([ready](Impl& self) { self.on_ready(ready); }); })),
      posted_(options_.workers) {
  sources_.push_back({std::move(informer), {}, std::move(predicate), {}, {}});
  make_metrics();
  LiveControllers::add(this, [gate = gate_](std::vector<ControllerStatus>& all) {
    gate->enter([&](Impl& self) { all.push_back(self.status()); });
  });
}

ControllerCore::Impl::~Impl() {
  LiveControllers::remove(this);
  on_stop_.reset();
  abandoned_ = true;
  abort_.request_stop();
  for (Source& source : sources_) source.registration.remove();
  gate_->close(awaited());
  for (auto& done : waiting_) {
    const auto& executor = options_.executor;
    const auto gone = Error::canceled("controller " + options_.name + " is gone");
    executor->post(kubexx::detail::completing<Result<void>>(executor, std::move(done), gone));
  }
}

void ControllerCore::Impl::watches(std::shared_ptr<informer::SharedIndexInformer> informer, Mapper mapper,
                                   Predicate predicate) {
  if (!mapper) throw std::logic_error("a watched source needs a mapper");
  const std::lock_guard lock(mutex_);
  if (state_ != ControllerState::NotStarted) throw std::logic_error("a source was added to a started controller");
  sources_.push_back({std::move(informer), std::move(mapper), std::move(predicate), {}, {}});
}

void ControllerCore::Impl::start(std::stop_token stop, Reconcile reconcile) {
  if (!reconcile) throw std::logic_error("a controller needs a reconcile function");
  {
    const std::lock_guard lock(mutex_);
    if (state_ != ControllerState::NotStarted) throw std::logic_error("a controller was started twice");
    state_ = ControllerState::Syncing;
  }
  reconcile_ = std::move(reconcile);
  stop_ = std::move(stop);
  for (Source& source : sources_) {
    source.observer = source.informer->observe(
        [gate = gate_] { gate->enter([](Impl& self) { self.post_control([](Impl& again) { again.evaluate(); }); }); });
    try {
      source.registration = source.informer->add_event_handler(
          std::make_shared<Handler>(*this, source.mapper, source.predicate), {.name = "controller " + options_.name});
    } catch (const std::logic_error&) {  // NOLINT(bugprone-empty-catch)
      // A stopped informer. That it is not synced, or synced and silent, evaluate() finds; a stop may have come first.
    }
  }
  post_control([](Impl& self) {
    if (self.options_.sync_timeout) self.limit_sync(*self.options_.sync_timeout);
    self.evaluate();
  });
  on_stop_.emplace(stop_, OnStop{this});
}

void ControllerCore::Impl::limit_sync(Duration limit) {
  sync_timer_ = strand_.post_after(limit, [gate = gate_] {
    gate->enter([](Impl& self) {
      self.sync_late_ = true;
      self.evaluate();
    });
  });
}

void ControllerCore::Impl::OnStop::operator()() noexcept {
  self->post_control([](Impl& again) { again.evaluate(); });
}

Result<void> ControllerCore::Impl::join() {
  Result<void> result;
  {
    std::unique_lock lock(mutex_);
    if (state_ == ControllerState::NotStarted) throw std::logic_error("a controller was not started");
    const auto ended = ended_.wait(awaited(), lock, [&] { return state_ == ControllerState::Ended; });
    if (!ended) return ended.error();
    result = result_;
  }
  for (Source& source : sources_) source.registration.remove();
  return result;
}

void ControllerCore::Impl::evaluate() {
  ControllerState state{};
  {
    const std::lock_guard lock(mutex_);
    state = state_;
  }
  if (state == ControllerState::Syncing) {
    std::vector<std::shared_ptr<informer::SharedIndexInformer>> informers;
    informers.reserve(sources_.size());
    for (const Source& source : sources_) informers.push_back(source.informer);
    const auto sync = informer::wait_for_cache_sync({}, informers, {.timeout = Duration::zero()});  // only looks
    const auto why = sync.as_error();
    if (stop_.stop_requested()) {
      return end(Error::canceled("controller " + options_.name + " was stopped before it could begin" +
                                 (why ? ": " + why->message() : "")));
    }
    if (sync) {
      begin_work();
    } else if (why && (sync_late_ || (sync.stopped_by && sync.stopped_by->is_canceled()))) {
      return end(why->with_context("controller " + options_.name));
    }
  } else if (state == ControllerState::Working) {
    if (stop_.stop_requested()) begin_drain();
  } else if (state == ControllerState::Draining) {
    if (!all_idle()) return;
    const std::size_t left = queue_.len();
    if (left > 0 && !abandoned_) return;
    if (left == 0 || options_.drain_deadline <= Duration::zero()) return end({});
    end(Error::timeout("controller " + options_.name + ": " + std::to_string(left) +
                       " keys still waited when the time to drain was over"));
  }
}

void ControllerCore::Impl::begin_work() {
  sync_timer_.cancel();
  set_state(ControllerState::Working);
  for (std::size_t worker = 0; worker < options_.workers; ++worker) post_worker();
}

void ControllerCore::Impl::begin_drain() {
  set_state(ControllerState::Draining);
  draining_ = true;
  queue_.shut_down();
  if (options_.drain_deadline <= Duration::zero()) {
    abandon();
  } else {
    drain_timer_ = strand_.post_after(options_.drain_deadline,
                                      [gate = gate_] { gate->enter([](Impl& self) { self.abandon(); }); });
  }
  evaluate();
}

void ControllerCore::Impl::abandon() {
  abandoned_ = true;
  abort_.request_stop();
  post_control([](Impl& self) { self.evaluate(); });
}

void ControllerCore::Impl::end(Result<void> result) {
  sync_timer_.cancel();
  drain_timer_.cancel();
  queue_.shut_down();
  std::vector<Async<Result<void>>::Done> waiting;
  {
    const std::lock_guard lock(mutex_);
    state_ = ControllerState::Ended;
    result_ = result;
    waiting.swap(waiting_);
    ended_.notify_all();
  }
  for (auto& done : waiting) {
    const auto& executor = options_.executor;
    executor->post(kubexx::detail::completing<Result<void>>(executor, std::move(done), result));
  }
}

/// What it holds is the gate: the controller may go before it completes, which is Canceled then.
Async<Result<void>> ControllerCore::Impl::ended() const {
  using Ended = Async<Result<void>>;
  return Ended(options_.executor,
               [gate = gate_, executor = options_.executor, name = options_.name](Ended::Done done) {
                 std::optional<Result<void>> now = Result<void>(Error::canceled("controller " + name + " is gone"));
                 gate->enter([&](Impl& self) {
                   const std::lock_guard lock(self.mutex_);
                   now.reset();
                   if (self.state_ == ControllerState::Ended) {
                     now = self.result_;
                   } else {
                     self.waiting_.push_back(std::move(done));
                   }
                 });
                 if (now) Ended::ready(executor, *now).start(std::move(done));
               })
      .needs(options_.handlers);
}

void ControllerCore::Impl::set_state(ControllerState state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
}

void ControllerCore::Impl::enqueue(const Key& key, int priority) {
  queue_.add(key, {.priority = priority});
}

const std::shared_ptr<informer::SharedIndexInformer>* ControllerCore::Impl::find(
    const meta::GroupVersionResource& resource) const {
  const auto found = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const Source& source) { return source.informer->resource() == resource; });
  return found == sources_.end() ? nullptr : &found->informer;
}

ControllerStatus ControllerCore::Impl::status() const {
  ControllerStatus now;
  now.name = options_.name;
  now.queue = queue_.status();
  now.workers = options_.workers;
  now.active = active_;
  now.reconciles = reconciles_;
  now.requeues = requeues_;
  now.errors = errors_;
  now.timeouts = timeouts_;
  const std::lock_guard lock(mutex_);
  for (const Source& source : sources_) now.sources.push_back(source.informer->name());
  now.state = state_;
  now.last_error = last_error_;
  now.last_error_key = last_error_key_;
  return now;
}

ControllerCore::ControllerCore(Subject subject, std::shared_ptr<informer::SharedIndexInformer> informer,
                               Predicate predicate, ControllerOptions options)
    : impl_(std::make_unique<Impl>(std::move(subject), std::move(informer), std::move(predicate), std::move(options))) {
}
ControllerCore::~ControllerCore() = default;
void ControllerCore::watches(std::shared_ptr<informer::SharedIndexInformer> informer, Mapper mapper,
                             Predicate predicate) {
  impl_->watches(std::move(informer), std::move(mapper), std::move(predicate));
}
void ControllerCore::start(std::stop_token stop, Reconcile reconcile) {
  impl_->start(std::move(stop), std::move(reconcile));
}
Result<void> ControllerCore::join() {
  return impl_->join();
}
Async<Result<void>> ControllerCore::ended_async() const {
  return impl_->ended();
}
void ControllerCore::enqueue(const meta::ObjectKey& key, int priority) {
  impl_->enqueue(key, priority);
}
Result<void> ControllerCore::wait_until_seen(const meta::GroupVersionResource& resource,
                                             std::string_view resource_version,
                                             const informer::WaitOptions& options) const {
  const auto* informer = impl_->find(resource);
  if (!informer) return Error::config(resource.to_string() + " is no source of controller " + impl_->name());
  return (*informer)->wait_until(resource_version, options);
}
ControllerStatus ControllerCore::status() const {
  return impl_->status();
}
const Subject& ControllerCore::subject() const noexcept {
  return impl_->subject();
}

Mapper owner_mapper(Subject subject) {
  return [subject = std::move(subject)](const meta::Object& object) -> std::vector<meta::ObjectKey> {
    const meta::Value owner = meta::controller_of(object);
    const auto version = meta::GroupVersion::parse(owner["apiVersion"].string());
    if (owner["kind"].string() != subject.kind.kind || !version || version->group != subject.kind.group) return {};
    return {
        {subject.namespaced ? std::string(object.namespace_()) : std::string(), std::string(owner["name"].string())}};
  };
}

}  // namespace kubexx::controller
