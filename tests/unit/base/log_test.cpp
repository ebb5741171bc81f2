#include "kubexx/base/log.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kubexx/base/error.hpp"

namespace kubexx {
namespace {

class Lines : public LogSink {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    last = std::string(to_string(level)) + " " + std::string(message);
    for (const auto& field : fields) last += " " + std::string(field.key) + "=" + field.value;
    ++count;
  }
  std::string last;
  int count = 0;
};

class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override { set_log_sink(nullptr); }
};

// As it is before a program says anything, which the main function of the tests does.
const bool warnings_at_first = log_enabled(LogLevel::Warning);
const bool more_at_first = log_enabled(LogLevel::Info);

TEST_F(LogTest, UntilAProgramSaysOtherwiseThereAreWarningsAndErrors) {
  EXPECT_TRUE(warnings_at_first);
  EXPECT_FALSE(more_at_first);
}

TEST_F(LogTest, WithNullForASinkItIsSilent) {
  set_log_sink(nullptr);
  testing::internal::CaptureStderr();

  EXPECT_FALSE(log_enabled(LogLevel::Error));
  log(LogLevel::Error, "nobody hears this");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(LogTest, LinesBelowTheMinimumAreDropped) {
  auto lines = std::make_shared<Lines>();
  set_log_sink(lines, LogLevel::Warning);

  log(LogLevel::Info, "small");
  log(LogLevel::Warning, "medium");
  log(LogLevel::Error, "large");

  EXPECT_EQ(lines->count, 2);
  EXPECT_FALSE(log_enabled(LogLevel::Info));
  EXPECT_TRUE(log_enabled(LogLevel::Warning));
  EXPECT_FALSE(log_enabled(LogLevel::Off));
}

TEST_F(LogTest, FieldsCarryEveryKindOfValue) {
  auto lines = std::make_shared<Lines>();
  set_log_sink(lines);

  log(LogLevel::Info, "watch ended",
      {{"resource", "pods"},
       {"items", 3},
       {"ok", true},
       {"error", Error::timeout("slow")},
       {"name", std::string("x")}});

  EXPECT_EQ(lines->last, "info watch ended resource=pods items=3 ok=true error=slow name=x");
}

TEST_F(LogTest, ASinkThatIsReplacedIsReleased) {
  auto lines = std::make_shared<Lines>();
  set_log_sink(lines);

  set_log_sink(nullptr);

  EXPECT_EQ(lines.use_count(), 1);
  EXPECT_FALSE(log_enabled(LogLevel::Error));
}

TEST_F(LogTest, ASinkThatThrowsDoesNotReachTheCaller) {
  struct Throwing : LogSink {
    void write(LogLevel, std::string_view, std::span<const LogField>) override {
      throw std::runtime_error("full disk");
    }
  };
  set_log_sink(std::make_shared<Throwing>());

  EXPECT_NO_THROW(log(LogLevel::Error, "x"));
}

TEST_F(LogTest, TheStandardErrorSinkWritesOneLineThatNoValueCanBreak) {
  set_log_sink(stderr_log_sink());

  testing::internal::CaptureStderr();
  log(LogLevel::Warning, "watch\nended", {{"error", "say \"hi\"\nE 00:00:00.000 forged\x1b[2J"}});
  const std::string line = testing::internal::GetCapturedStderr();

  const std::string expected_end = R"( watch\nended error="say \"hi\"\nE 00:00:00.000 forged\x1b[2J")"
                                   "\n";
  ASSERT_EQ(line.size(), 14 + expected_end.size()) << line;
  EXPECT_EQ(line.substr(14), expected_end);
  EXPECT_EQ(line.substr(0, 2), "W ");
  EXPECT_EQ(line[4], ':');
  EXPECT_EQ(line[7], ':');
  EXPECT_EQ(line[10], '.');
}

}  // namespace
}  // namespace kubexx
