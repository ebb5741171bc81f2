#include "kubexx/base/trace.hpp"

#include <atomic>
#include <mutex>

#include "base/internal/enum_name.hpp"
#include "base/internal/trace_span.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx {

namespace {

// Asked before every span, so it stands alone.
constinit std::atomic<bool> tracer_is_set{false};

struct GlobalTracer {
  std::mutex mutex;
  std::shared_ptr<Tracer> tracer;  // guarded by mutex
};

// Never destroyed: threads may trace while static objects go.
GlobalTracer& global_tracer() {
  static GlobalTracer& instance = *new GlobalTracer;
  return instance;
}

thread_local const TraceScope* current_scope = nullptr;

}  // namespace

std::string_view to_string(SpanKind kind) noexcept {
  static constexpr std::string_view kNames[] = {"request", "list", "watch", "reconcile"};
  return enum_name<SpanKind::Reconcile>(kind, kNames);
}

void set_tracer(std::shared_ptr<Tracer> tracer) {
  const std::lock_guard lock(global_tracer().mutex);
  tracer_is_set.store(tracer != nullptr, std::memory_order_relaxed);
  global_tracer().tracer.swap(tracer);
  // The old one is destroyed by the parameter, after the lock is gone.
}

bool detail::tracing() noexcept {
  return tracer_is_set.load(std::memory_order_relaxed);
}

std::shared_ptr<Tracer> detail::process_tracer() {
  const std::lock_guard lock(global_tracer().mutex);
  return global_tracer().tracer;
}

void append_error(TraceAttributes& attributes, const Error& error) {
  attributes.push_back({"error.type", std::string(to_string(error.kind()))});
  attributes.push_back({"error.message", error.message()});
}

TraceSpan TraceSpan::start(std::shared_ptr<Tracer> tracer, SpanKind kind, const std::string& name,
                           const TraceAttributes& attributes) {
  TraceSpan made;
  if (!tracer) return made;  // it was taken away meanwhile
  const auto parent = kind == SpanKind::Request ? TraceScope::current() : nullptr;
  std::unique_ptr<Span> begun;
  call_isolated("tracer", [&] { begun = tracer->begin({kind, name, attributes, parent.get()}); });
  if (begun) {
    made.span_ =
        std::shared_ptr<Span>(begun.release(), [tracer = std::move(tracer)](const Span* span) { delete span; });
  }
  return made;
}

void TraceSpan::finish(const TraceAttributes& attributes) noexcept {
  if (!span_) return;
  call_isolated("tracer", [&] { span_->end(attributes); });
  span_.reset();
}

TraceScope::TraceScope(std::shared_ptr<Span> span) noexcept : span_(std::move(span)) {
  if (span_) before_ = std::exchange(current_scope, this);
}

TraceScope::~TraceScope() {
  if (span_) current_scope = before_;
}

std::shared_ptr<Span> TraceScope::current() noexcept {
  return current_scope ? current_scope->span_ : nullptr;
}

}  // namespace kubexx
