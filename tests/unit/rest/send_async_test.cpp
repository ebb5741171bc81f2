#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "unit/base/wait.hpp"
#include "unit/rest/fixture.hpp"

namespace kubexx::rest {
namespace {

using std::chrono::seconds;

class SendAsyncTest : public RestClientTest {
 protected:
  /// Begins; every result that comes is kept.
  void begin(const Client& client, CallOptions options = {}) {
    client.send_async(get_pod(), std::move(options)).start([this](Result<Response> result) {
      results.push_back(std::move(result));
    });
  }
  std::vector<Result<Response>> results;
};

TEST_F(SendAsyncTest, TheAnswerComesOnTheExecutor) {
  const auto client = make();
  transport->answer(200, kPod);
  begin(client);
  EXPECT_TRUE(results.empty());
  executor->run_until_idle();

  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results[0]);
  EXPECT_EQ(results[0]->object().value().name(), "a");
}

TEST_F(SendAsyncTest, AStopEndsItOnceWhateverStepItIsAt) {
  bool completed = false;
  for (int steps = 0; !completed; ++steps) {
    ASSERT_LT(steps, 100);
    results.clear();
    transport->requests.clear();
    transport->answers.clear();
    transport->answer(200, kPod);
    const auto client = make();
    std::stop_source stop;
    begin(client, {.stop = stop.get_token()});
    for (int i = 0; i < steps; ++i) executor->run_one();
    completed = !results.empty();
    stop.request_stop();
    executor->run_until_idle();

    ASSERT_EQ(results.size(), 1U) << "after " << steps << " steps";
    if (steps == 0) {
      EXPECT_TRUE(transport->requests.empty());
    }
    if (!results[0]) {
      EXPECT_TRUE(results[0].error().is_canceled());
    }
    if (completed) {
      EXPECT_TRUE(results[0]);
    }
  }
}

TEST_F(SendAsyncTest, AStopThatFiredBeforeSendsNothing) {
  std::stop_source stop;
  stop.request_stop();
  begin(make(), {.stop = stop.get_token()});
  executor->run_until_idle();

  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0].error().is_canceled());
  EXPECT_TRUE(transport->requests.empty());
}

TEST_F(SendAsyncTest, AnAnswerThatDoesNotComeEndsWithItsTimeout) {
  FakeTransport::Answer hangs;
  hangs.hangs = true;
  transport->answers.push_back(hangs);
  begin(make(), {.timeout = seconds(3)});
  executor->advance(seconds(2));
  EXPECT_TRUE(results.empty());
  executor->advance(seconds(1));

  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0].error().is_timeout());
}

TEST_F(SendAsyncTest, TheClientMayBeDroppedWhileItIsUnderWay) {
  transport->answer(200, kPod);
  {
    const auto client = make();
    begin(client);
  }
  EXPECT_GT(transport.use_count(), 1);
  executor->run_until_idle();

  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0]);
  EXPECT_EQ(transport.use_count(), 1);
}

TEST_F(SendAsyncTest, AClientThatEverybodyDroppedStillAnswersWhatBegan) {
  test::Count answered;
  for (int round = 0; round < 50; ++round) {
    const auto threads = std::make_shared<ThreadExecutor>();
    const auto wire = std::make_shared<FakeTransport>(threads);
    wire->answer(200, kPod);
    Config config;
    config.host = "https://server.example";
    Client::create(config, {.transport = wire, .executor = threads, .handlers = threads})
        .value()
        .send_async(get_pod())
        .start([&](const Result<Response>& result) {
          if (result) answered.add();
        });
  }
  EXPECT_TRUE(answered.reaches(50));
}

TEST_F(SendAsyncTest, WhoeverWaitedIsTheClientsLastOwner) {
  for (int round = 0; round < 50; ++round) {
    const auto threads = std::make_shared<ThreadExecutor>();
    const auto wire = std::make_shared<FakeTransport>(threads);
    Config config;
    config.host = "https://server.example";
    ClientOptions options;
    options.transport = wire;
    options.executor = threads;
    options.handlers = threads;
    std::stop_source stop;
    FakeTransport::Answer scripted;
    scripted.hangs = round % 2 == 0;
    scripted.chunks = {kPod};
    wire->answers.push_back(scripted);
    {
      const auto client = Client::create(config, options).value();
      options = {};
      if (scripted.hangs) {
        const std::jthread stopper([&] { stop.request_stop(); });
        EXPECT_TRUE(client.send(get_pod(), {.stop = stop.get_token()}).error().is_canceled());
      } else {
        EXPECT_TRUE(client.send(get_pod(), {.stop = stop.get_token()}));
      }
    }
    ASSERT_EQ(wire.use_count(), 1) << round;
  }
}

}  // namespace
}  // namespace kubexx::rest
