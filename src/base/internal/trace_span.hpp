#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/base/error.hpp"
#include "kubexx/base/trace.hpp"

namespace kubexx {

namespace detail {
bool tracing() noexcept;  // is there a process-wide tracer?
std::shared_ptr<Tracer> process_tracer();
}  // namespace detail

/// error.type (the kind of the Error) and error.message.
void append_error(TraceAttributes& attributes, const Error& error);

/// A span of whichever tracer there is, and nothing where there is none. Ends with its holder, without attributes
/// unless end() came first.
class TraceSpan {
 public:
  TraceSpan() = default;
  TraceSpan(TraceSpan&&) noexcept = default;
  TraceSpan& operator=(TraceSpan&& other) noexcept {
    if (this != &other) {
      finish({});
      span_ = std::move(other.span_);
    }
    return *this;
  }
  ~TraceSpan() { finish({}); }

  /// `name` and `attributes` are functions, called only if there is a tracer.
  template <class Name, class Attributes>
  static TraceSpan begin(const std::shared_ptr<Tracer>& own, SpanKind kind, Name&& name, Attributes&& attributes) {
    if (!own && !detail::tracing()) return {};
    return start(own ? own : detail::process_tracer(), kind, std::forward<Name>(name)(),
                 std::forward<Attributes>(attributes)());
  }
  template <class Attributes>
  void end(Attributes&& attributes) {
    if (span_) finish(std::forward<Attributes>(attributes)());
  }
  explicit operator bool() const noexcept { return span_ != nullptr; }

 private:
  friend class TraceScope;
  static TraceSpan start(std::shared_ptr<Tracer> tracer, SpanKind kind, const std::string& name,
                         const TraceAttributes& attributes);
  void finish(const TraceAttributes& attributes) noexcept;

  std::shared_ptr<Span> span_;  // keeps its tracer; shared with scopes, one of which may last longer
};

/// While it lives, requests that begin on this thread are part of the given span; of an empty one: as before.
class TraceScope {
 public:
  explicit TraceScope(const TraceSpan& span) noexcept : TraceScope(span.span_) {}
  explicit TraceScope(std::shared_ptr<Span> span) noexcept;
  ~TraceScope();
  /// That of this thread, for work that begins on another one; null: there is none.
  static std::shared_ptr<Span> current() noexcept;
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  const std::shared_ptr<Span> span_;
  const TraceScope* before_ = nullptr;
};

}  // namespace kubexx
