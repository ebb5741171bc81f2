#include "kubexx/base/error_sink.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kubexx/base/log.hpp"

namespace kubexx {
namespace {

class ErrorSinkTest : public ::testing::Test {
 protected:
  ~ErrorSinkTest() override {
    set_error_sink(nullptr);
    set_log_sink(nullptr);
  }
  void record() {
    set_error_sink([this](const Error& error, std::string_view where) {
      seen.push_back(std::string(where) + ": " + error.message());
    });
  }
  std::vector<std::string> seen;
};

TEST_F(ErrorSinkTest, GetsWhatUserCodeThrew) {
  record();

  EXPECT_FALSE(call_isolated("handler pods", [] { throw std::runtime_error("boom"); }));
  EXPECT_FALSE(call_isolated("handler pods", [] { throw Exception(Error::api(404, "NotFound", "no pod")); }));
  EXPECT_FALSE(call_isolated("handler pods", [] { throw 3; }));

  EXPECT_EQ(seen, (std::vector<std::string>{"handler pods: exception: boom", "handler pods: no pod",
                                            "handler pods: exception of an unknown type"}));
}

TEST_F(ErrorSinkTest, GetsNothingWhenNothingWasThrown) {
  record();

  EXPECT_TRUE(call_isolated("handler", [] {}));

  EXPECT_TRUE(seen.empty());
}

TEST_F(ErrorSinkTest, AnExceptionOfOursKeepsItsError) {
  try {
    throw Exception(Error::api(409, "Conflict", "x"));
  } catch (...) {
    EXPECT_TRUE(current_exception_as_error().is_conflict());
  }
  EXPECT_EQ(current_exception_as_error().message(), "no exception");
}

TEST_F(ErrorSinkTest, ASinkThatThrowsHarmsNobody) {
  set_error_sink([](const Error&, std::string_view) { throw std::runtime_error("sink"); });

  EXPECT_FALSE(call_isolated("handler", [] { throw std::runtime_error("boom"); }));
}

TEST_F(ErrorSinkTest, TheDefaultWritesALogLineAndNoneForACancellation) {
  struct Lines : LogSink {
    void write(LogLevel, std::string_view message, std::span<const LogField> fields) override {
      lines.push_back(std::string(message) + " where=" + fields[0].value);
    }
    std::vector<std::string> lines;
  };
  auto log_lines = std::make_shared<Lines>();
  set_log_sink(log_lines);

  report_error(Error::timeout("slow"), "relist");
  report_error(Error::canceled(), "relist");

  EXPECT_EQ(log_lines->lines, std::vector<std::string>{"slow where=relist"});
}

TEST(ErrorSinkDeathTest, ThePolicyTerminateEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        set_crash_policy(CrashPolicy::Terminate);
        call_isolated("handler", [] { throw std::runtime_error("boom"); });
      },
      "boom");
}

}  // namespace
}  // namespace kubexx
