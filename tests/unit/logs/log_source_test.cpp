#include "logs/log_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fixture_executor.hpp"

namespace kubexx::logs {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

/// A host that grants every slot and keeps what is asked for; the test answers.
class FakeHost final : public SourceHost {
 public:
  struct Request {
    client::LogOptions query;
    rest::ByteCallbacks answer;
    int held = 0;
  };
  class Handle final : public meta::Call {
   public:
    explicit Handle(std::shared_ptr<Request> request) : request_(std::move(request)) {}
    void hold() override { ++request_->held; }
    void resume() override { --request_->held; }

   private:
    std::shared_ptr<Request> request_;
  };

  void want_slot(const std::shared_ptr<LogSource>& source) override { source->granted(); }
  void leave_slot(LogSource&) override { ++left; }
  std::unique_ptr<meta::Call> open(const LogOrigin&, const client::LogOptions& query,
                                   rest::ByteCallbacks callbacks) override {
    request = std::make_shared<Request>(Request{query, std::move(callbacks)});
    ++requests;
    return std::make_unique<Handle>(request);
  }
  void deliver(const std::shared_ptr<LogSource>&, LineBatch batch) override {
    for (std::size_t i = 0; i < batch.size(); ++i) lines.emplace_back(batch.line(i).text);
    bytes += batch.bytes();
  }
  void problem(const std::shared_ptr<const LogOrigin>&, const Error& error) override {
    problems.push_back(error.message());
  }
  void changed(const LogSource&) override {}
  void count_resumed() override { ++resumed; }
  void count_gap() override { ++gaps; }
  void ended(LogSource&) override { over = true; }

  void send(const std::string& text) const { request->answer.on_bytes(text); }
  void end() {
    const auto answered = request;  // the next one may begin inside
    answered->answer.on_end(nullptr);
  }
  void cut() {
    const auto answered = request;
    const auto error = Error::transport(TransportFailure::Reset, "cut");
    answered->answer.on_end(&error);
  }

  std::shared_ptr<Request> request;
  int requests = 0;
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  std::vector<std::string> problems;
  int resumed = 0;
  int gaps = 0;
  int left = 0;
  bool over = false;
};

class LogSourceTest : public testing::Test {
 protected:
  void begin(ContainerState state, SourceOptions options = {}) {
    options.backoff = {.initial = seconds(1), .jitter = 0};
    options.drain = seconds(5);
    source = std::make_shared<LogSource>(host, strand, LogOrigin{"ns", "p", "u", "web"}, std::move(options));
    source->update(state);
    if (host.request) host.request->answer.on_open();
  }
  static std::string line(int second, const std::string& text) {
    return "2026-01-01T00:00:0" + std::to_string(second) + ".000000000Z " + text + "\n";
  }

  const ContainerState running{.started = true};
  const ContainerState ended{.started = true, .over = true};
  FixtureExecutor executor;
  FakeHost host;
  Strand strand{executor};
  std::shared_ptr<LogSource> source;
};

TEST_F(LogSourceTest, AContainerThatHasNotStartedIsLeftAlone) {
  begin({});
  EXPECT_EQ(host.requests, 0);
  source->update(running);
  EXPECT_EQ(host.requests, 1);
  EXPECT_TRUE(host.request->query.follow);
  EXPECT_TRUE(host.request->query.timestamps);
  EXPECT_EQ(host.request->query.since_time, "");
}

TEST_F(LogSourceTest, ARequestAfterACutBeginsWithTheSecondOfTheLastLine) {
  begin(running);
  host.send(line(1, "a") + line(2, "b") + "2026-01-01T00:00:0");
  host.cut();
  EXPECT_THAT(host.problems, ElementsAre(testing::HasSubstr("cut")));
  EXPECT_EQ(host.requests, 1);
  executor->advance(seconds(1));

  EXPECT_EQ(host.requests, 2);
  EXPECT_EQ(host.request->query.since_time, "2026-01-01T00:00:02Z");
  host.request->answer.on_open();
  host.send(line(2, "b") + line(3, "c"));
  EXPECT_THAT(host.lines, ElementsAre("a", "b", "c"));
  EXPECT_EQ(host.resumed, 1);
}

TEST_F(LogSourceTest, ALongLineThatIsCutBetweenItsPiecesGoesOnWithTheNextPiece) {
  SourceOptions options;
  options.max_line_bytes = 64;
  begin(running, options);
  const std::string text = line(1, std::string(50, 'a') + std::string(64, 'b') + "c");
  host.send(text.substr(0, 90));
  EXPECT_EQ(host.lines.size(), 1U);
  host.cut();
  executor->advance(seconds(1));
  host.send(text.substr(0, 130));
  host.send(text.substr(130));

  std::string whole;
  for (const auto& piece : host.lines) whole += piece;
  EXPECT_EQ(whole + "\n", text.substr(31));
}

TEST_F(LogSourceTest, ALineWithoutAnEndIsOneOnlyWhereNothingMoreIsWritten) {
  begin(running);
  const std::string text = line(1, "a half");
  host.send(text.substr(0, text.size() - 1));
  host.end();
  EXPECT_THAT(host.lines, IsEmpty());

  source->update(ended);
  EXPECT_FALSE(host.request->query.follow);
  host.send(text.substr(0, text.size() - 1));
  host.end();
  EXPECT_THAT(host.lines, ElementsAre("a half"));
}

TEST_F(LogSourceTest, ALogThatEndsWellIsReadOnceMoreWhenTheContainerIsKnownToBeOver) {
  begin(running);
  host.send(line(1, "a"));
  source->update(ended);
  EXPECT_EQ(host.requests, 1) << "the stream ends by itself";
  host.end();
  EXPECT_EQ(host.requests, 2);
  host.send(line(1, "a") + line(2, "the end"));
  host.end();

  executor->advance(seconds(60));
  EXPECT_EQ(host.requests, 2);
  EXPECT_EQ(host.left, 1);
  EXPECT_THAT(host.lines, ElementsAre("a", "the end"));
  EXPECT_EQ(host.gaps, 0);
}

TEST_F(LogSourceTest, LinesWithoutATimeComeOnceToo) {
  begin(running);
  host.send(line(1, "a") + "no time at all\n");
  host.cut();
  executor->advance(seconds(1));
  host.send(line(1, "a") + "no time at all\n" + line(2, "b"));

  EXPECT_THAT(host.lines, ElementsAre("a", "no time at all", "b"));
}

TEST_F(LogSourceTest, AStreamIsHeldWhileTooMuchWaitsAndTheNextOneBeginsHeld) {
  SourceOptions options;
  options.max_waiting_bytes = 100;
  begin(running, options);
  host.send(line(1, std::string(200, 'x')));
  EXPECT_EQ(host.request->held, 1);
  EXPECT_TRUE(source->paused());
  host.cut();
  executor->advance(seconds(1));
  EXPECT_EQ(host.request->held, 1);

  source->consumed(host.bytes);

  EXPECT_EQ(host.request->held, 0);
  EXPECT_FALSE(source->paused());
}

TEST_F(LogSourceTest, APodThatIsGoneIsReadForAWhile) {
  begin(running);
  source->remove();
  host.send(line(1, "still"));
  EXPECT_FALSE(host.over);
  executor->advance(seconds(5));

  EXPECT_TRUE(host.over);
  EXPECT_THAT(host.lines, ElementsAre("still"));
  EXPECT_EQ(host.gaps, 0);
}

TEST_F(LogSourceTest, APodThatGoesWhileItsLogIsCutMayHaveHadMore) {
  begin(running);
  host.cut();
  source->remove();

  EXPECT_TRUE(host.over);
  EXPECT_EQ(host.gaps, 1);
}

TEST_F(LogSourceTest, OneThatFailsAgainAndAgainLetsOthersHaveTheSlot) {
  begin(running);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(host.left, 0);
    host.cut();
    if (i < 2) executor->advance(seconds(10));
  }

  EXPECT_EQ(host.left, 1);
  EXPECT_EQ(host.problems.size(), 1U);
}

}  // namespace
}  // namespace kubexx::logs
