#include <gmock/gmock.h>

#include "guide/otel_names.hpp"
#include "kubexx/base/trace.hpp"

namespace kubexx::guide {
namespace {

namespace nostd = opentelemetry::nostd;
namespace trace = opentelemetry::trace;

// [begin otel]
struct OtelSpan : kubexx::Span {
  explicit OtelSpan(nostd::shared_ptr<trace::Span> s) : span(std::move(s)) {}
  void end(const kubexx::TraceAttributes& attributes) override {
    for (const auto& each : attributes) {
      if (each.key == "error.message") span->SetStatus(trace::StatusCode::kError, std::get<std::string>(each.value));
      std::visit([&](const auto& v) { span->SetAttribute({each.key.data(), each.key.size()}, v); }, each.value);
    }
    span->End();
  }
  nostd::shared_ptr<trace::Span> span;
};
struct OtelTracer : kubexx::Tracer {
  std::unique_ptr<kubexx::Span> begin(const kubexx::SpanStart& start) override {
    trace::StartSpanOptions options;
    if (start.parent) options.parent = static_cast<OtelSpan*>(start.parent)->span->GetContext();
    auto span = tracer->StartSpan({start.name.data(), start.name.size()}, {}, options);
    for (const auto& each : start.attributes)
      std::visit([&](const auto& v) { span->SetAttribute({each.key.data(), each.key.size()}, v); }, each.value);
    return std::make_unique<OtelSpan>(std::move(span));
  }
  nostd::shared_ptr<trace::Tracer> tracer;
};
// [end otel]

TEST(OtelTracerTest, SpansAreHandedOnWithTheirParentsAttributesAndFailures) {
  const auto otel = std::make_shared<trace::Tracer>();
  OtelTracer tracer;
  tracer.tracer = otel;
  const TraceAttributes of_list = {{"kubexx.resource", std::string("pods")}};
  const TraceAttributes none;

  const auto list = tracer.begin({.kind = SpanKind::List, .name = "list pods", .attributes = of_list});
  const auto request =
      tracer.begin({.kind = SpanKind::Request, .name = "GET pods", .attributes = none, .parent = list.get()});
  request->end({{"http.response.status_code", std::int64_t{500}}});
  list->end({{"error.message", std::string("busy")}});

  EXPECT_THAT(*otel->lines, ::testing::ElementsAre(
                                "list pods begins", "list pods says kubexx.resource", "GET pods begins in list pods",
                                "GET pods says http.response.status_code", "GET pods ends", "list pods failed: busy",
                                "list pods says error.message", "list pods ends"));
}

}  // namespace
}  // namespace kubexx::guide
