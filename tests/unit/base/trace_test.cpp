#include "kubexx/base/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/internal/trace_span.hpp"
#include "kubexx/base/error_sink.hpp"
#include "support/recording_tracer.hpp"

namespace kubexx {
namespace {

using ::testing::ElementsAre;

const std::shared_ptr<Tracer> kNone;

TraceSpan begin(const std::shared_ptr<Tracer>& tracer, SpanKind kind, const std::string& name) {
  return TraceSpan::begin(tracer, kind, [&] { return name; }, [] { return TraceAttributes{{"a", true}}; });
}

TEST(TraceTest, WithoutATracerNothingIsBuiltOrCalled) {
  int built = 0;
  TraceSpan span = TraceSpan::begin(
      kNone, SpanKind::Request,
      [&] {
        ++built;
        return std::string("name");
      },
      [&] {
        ++built;
        return TraceAttributes();
      });
  span.end([&] {
    ++built;
    return TraceAttributes();
  });
  const TraceScope scope(span);

  EXPECT_EQ(built, 0);
  EXPECT_FALSE(span);
}

TEST(TraceTest, ASpanEndsOnceWithItsAttributesOrWithoutWhenItIsDropped) {
  const auto tracer = std::make_shared<RecordingTracer>();
  {
    auto ended = begin(tracer, SpanKind::List, "list pods");
    ended.end([] { return TraceAttributes{{"n", std::int64_t{3}}, {"s", std::string("x")}}; });
    auto dropped = begin(tracer, SpanKind::Watch, "watch pods");
    auto moved = std::move(dropped);
    moved = begin(tracer, SpanKind::Reconcile, "reconcile");
  }

  EXPECT_THAT(tracer->lines(),
              ElementsAre("begin list: list pods a=true", "end list pods n=3 s=x", "begin watch: watch pods a=true",
                          "begin reconcile: reconcile a=true", "end watch pods", "end reconcile"));
}

TEST(TraceTest, RequestsOfAScopeArePartOfItsSpanAndOthersAreNot) {
  const auto tracer = std::make_shared<RecordingTracer>();
  const auto list = begin(tracer, SpanKind::List, "list");
  {
    const TraceScope scope(list);
    const auto inside = begin(tracer, SpanKind::Request, "inside");
    const auto watch = begin(tracer, SpanKind::Watch, "watch");
    const TraceScope none{TraceSpan()};
    const auto still = begin(tracer, SpanKind::Request, "still");
  }
  const auto outside = begin(tracer, SpanKind::Request, "outside");

  EXPECT_EQ(tracer->parent_of("inside"), "list");
  EXPECT_EQ(tracer->parent_of("still"), "list");
  EXPECT_EQ(tracer->parent_of("watch"), "");
  EXPECT_EQ(tracer->parent_of("outside"), "");
}

TEST(TraceTest, TheTracerOfTheProcessServesThoseWithoutTheirOwn) {
  const auto process = std::make_shared<RecordingTracer>();
  const auto own = std::make_shared<RecordingTracer>();
  set_tracer(process);
  auto first = begin(kNone, SpanKind::Request, "first");
  const auto second = begin(own, SpanKind::Request, "second");
  set_tracer(nullptr);
  const auto third = begin(kNone, SpanKind::Request, "third");
  first.end([] { return TraceAttributes(); });  // with the tracer it began with

  EXPECT_THAT(process->lines(), ElementsAre("begin request: first a=true", "end first"));
  EXPECT_THAT(own->lines(), ElementsAre("begin request: second a=true"));
}

TEST(TraceTest, ATracerThatThrowsIsReportedAndChangesNothing) {
  struct Throwing final : Tracer, std::enable_shared_from_this<Throwing> {
    struct Bad final : Span {
      void end(const TraceAttributes&) override { throw std::runtime_error("end"); }
    };
    std::unique_ptr<Span> begin(const SpanStart& start) override {
      if (start.name == "bad") throw std::runtime_error("begin");
      return std::make_unique<Bad>();
    }
  };
  std::vector<std::string> reported;
  set_error_sink([&](const Error& error, std::string_view where) {
    reported.push_back(std::string(where) + ": " + error.message());
  });
  const auto tracer = std::make_shared<Throwing>();

  EXPECT_FALSE(begin(tracer, SpanKind::Request, "bad"));
  {
    const auto ends = begin(tracer, SpanKind::Request, "good");
  }
  set_error_sink(nullptr);

  EXPECT_THAT(reported, ElementsAre("tracer: exception: begin", "tracer: exception: end"));
}

TEST(TraceTest, ATracerMayDeclineASpan) {
  struct Declining final : Tracer {
    std::unique_ptr<Span> begin(const SpanStart&) override { return nullptr; }
  };
  EXPECT_FALSE(begin(std::make_shared<Declining>(), SpanKind::Request, "r"));
}

}  // namespace
}  // namespace kubexx
