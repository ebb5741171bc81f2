#include "kubexx/base/stop.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace kubexx {
namespace {

using namespace std::chrono_literals;

TEST(WaitForStopTest, ReturnsWhenTheTokenFires) {
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });

  wait_for_stop(source.get_token());

  EXPECT_TRUE(source.stop_requested());
}

TEST(WaitForStopTest, WithATimeoutItTellsWhetherTheTokenFired) {
  std::stop_source source;
  const TimePoint start = Clock::system().now();
  EXPECT_FALSE(wait_for_stop(source.get_token(), 20ms));
  EXPECT_GE(Clock::system().now() - start, 20ms);
  EXPECT_FALSE(wait_for_stop(source.get_token(), 0s));
  EXPECT_FALSE(wait_for_stop(std::stop_token(), 1ms));

  source.request_stop();

  EXPECT_TRUE(wait_for_stop(source.get_token(), 0s));
  EXPECT_TRUE(wait_for_stop(source.get_token(), Duration::max()));
}

TEST(WaitForStopTest, AnEndlessTimeoutStillEndsWithTheToken) {
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });

  EXPECT_TRUE(wait_for_stop(source.get_token(), Duration::max()));
}

TEST(LinkedStopTest, FiresWithAnyOfItsTokens) {
  std::stop_source a;
  std::stop_source b;
  LinkedStop linked({a.get_token(), b.get_token()});
  EXPECT_FALSE(linked.token().stop_requested());

  b.request_stop();

  EXPECT_TRUE(linked.token().stop_requested());
  EXPECT_FALSE(a.stop_requested());
}

TEST(LinkedStopTest, FiresWhenAskedAndStopsNobodyElse) {
  std::stop_source a;
  LinkedStop linked({a.get_token()});

  linked.request_stop();

  EXPECT_TRUE(linked.token().stop_requested());
  EXPECT_FALSE(a.stop_requested());
}

TEST(LinkedStopTest, IsFiredFromTheStartByATokenThatAlreadyFired) {
  std::stop_source a;
  a.request_stop();

  EXPECT_TRUE(LinkedStop({a.get_token()}).token().stop_requested());
}

TEST(LinkedStopTest, TheTokenOutlivesTheLink) {
  std::stop_source a;
  std::stop_token token = LinkedStop({a.get_token()}).token();

  a.request_stop();

  EXPECT_FALSE(token.stop_requested());
}

std::atomic<int> own_handler_calls{0};

// Signals end processes, so each claim has one of its own.
class StopOnSignalsDeathTest : public ::testing::Test {
 protected:
  StopOnSignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopOnSignalsDeathTest, TheFirstSignalFiresTheToken) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          const std::stop_token stop = stop_on_signals();
          raise(signal);
          if (!wait_for_stop(stop, 10s)) _exit(1);
          std::exit(stop_signal() == signal ? 42 : 2);
        },
        testing::ExitedWithCode(42), "");
  }
}

TEST_F(StopOnSignalsDeathTest, ASecondSignalEndsTheProcessOnceHalfASecondHasPassed) {
  EXPECT_EXIT(
      {
        const std::stop_token stop = stop_on_signals();
        raise(SIGINT);
        const TimePoint limit = Clock::system().now() + 10s;
        while (Clock::system().now() < limit) raise(SIGTERM);
        _exit(1);
      },
      testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST_F(StopOnSignalsDeathTest, ASignalRepeatedAtOnceIsTheSameWish) {
  EXPECT_EXIT(
      {
        ::signal(SIGTERM, [](int) { ++own_handler_calls; });
        const std::stop_token stop = stop_on_signals();
        raise(SIGTERM);
        raise(SIGTERM);
        raise(SIGINT);
        if (!wait_for_stop(stop, 10s)) _exit(1);
        _exit(own_handler_calls == 1 && stop_signal() == SIGTERM ? 42 : 2);
      },
      testing::ExitedWithCode(42), "");
}

TEST_F(StopOnSignalsDeathTest, AHangupThatTheProgramHandlesStopsNothing) {
  EXPECT_EXIT(
      {
        ::signal(SIGHUP, [](int) { ++own_handler_calls; });
        const std::stop_token stop = stop_on_signals();
        raise(SIGHUP);
        _exit(own_handler_calls == 1 && stop_signal() == 0 ? 42 : 2);
      },
      testing::ExitedWithCode(42), "");
}

TEST_F(StopOnSignalsDeathTest, AHandlerThatStoodBeforeIsStillCalled) {
  EXPECT_EXIT(
      {
        ::signal(SIGTERM, [](int) { ++own_handler_calls; });
        const std::stop_token stop = stop_on_signals();
        raise(SIGTERM);
        if (!wait_for_stop(stop, 10s)) _exit(1);
        _exit(own_handler_calls == 1 ? 42 : 2);
      },
      testing::ExitedWithCode(42), "");
}

TEST_F(StopOnSignalsDeathTest, AnIgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        ::signal(SIGINT, SIG_IGN);
        const std::stop_token stop = stop_on_signals();
        raise(SIGINT);
        raise(SIGINT);
        _exit(stop.stop_requested() ? 1 : 42);
      },
      testing::ExitedWithCode(42), "");
}

TEST_F(StopOnSignalsDeathTest, ASignalToAForkedChildDoesNotStopTheParent) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer delivers no signals to a child forked from several threads";
#endif
  EXPECT_EXIT(
      {
        const std::stop_token stop = stop_on_signals();
        const pid_t child = fork();
        if (child == 0) {
          alarm(10);
          raise(SIGTERM);
          pause();
          _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
        _exit(killed && !wait_for_stop(stop, 50ms) ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace kubexx
