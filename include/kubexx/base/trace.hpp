#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// What is traced. A list in several pages is one List with a Request for each; a reconcile has the requests inside
/// that its thread asks for.
enum class SpanKind : std::uint8_t { Request, List, Watch, Reconcile };
KUBEXX_EXPORT std::string_view to_string(SpanKind kind) noexcept;  ///< "request"

/// What an attribute of a span may be.
using TraceValue = std::variant<bool, std::int64_t, double, std::string>;
/// Name and value of something that a span says.
struct TraceAttribute {
  std::string_view key = {};
  TraceValue value = {};
};
/// docs/adapters.md lists those of each kind.
using TraceAttributes = std::vector<TraceAttribute>;

/// Something under way that a Tracer began. Destroyed soon after its end.
class KUBEXX_EXPORT Span {
 public:
  virtual ~Span() = default;
  /// Once, last. What was dropped before it ended, because somebody stopped, has no attributes.
  virtual void end(const TraceAttributes& attributes) = 0;
};

/// What a span begins with. Valid during the call of begin() only.
struct SpanStart {
  SpanKind kind = SpanKind::Request;
  std::string_view name = {};  ///< "LIST pods", "reconcile widget": few, for grouping
  const TraceAttributes& attributes;
  Span* parent = nullptr;  ///< of a Request: what it is part of; null: it stands alone
};

/// Hears of requests, lists, watches and reconciles as they begin and end: the hook for OpenTelemetry and its like.
///
/// Without one nothing is called and nothing is made: each place asks one pointer and one relaxed atomic.
///
/// Threads: called from any thread, several at once, with no lock of ours held; must not block. begin()
/// of a Request may run on another thread than the one that asked for it; begin and end of a Reconcile run on the
/// thread that reconciles, around it.
/// Errors: what it throws goes to the error sink and changes nothing; a begin that threw is not traced.
/// Example:
///
///     class Spelling final : public Tracer {
///       struct Named final : Span {
///         explicit Named(std::string_view name) : name_(name) {}
///         void end(const TraceAttributes&) override { greet(name_); }
///         std::string name_;
///       };
///       std::unique_ptr<Span> begin(const SpanStart& start) override { return std::make_unique<Named>(start.name); }
///     };
///     set_tracer(std::make_shared<Spelling>());
class KUBEXX_EXPORT Tracer {
 public:
  virtual ~Tracer() = default;
  virtual std::unique_ptr<Span> begin(const SpanStart& start) = 0;  ///< null: this one is not traced
};

/// The tracer of whatever has none in its options. Null: none. What is under way ends with the one it began with.
KUBEXX_EXPORT void set_tracer(std::shared_ptr<Tracer> tracer);

}  // namespace kubexx
