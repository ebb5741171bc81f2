#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubexx/adapters/glog_log_sink.hpp"

namespace kubexx::adapters {
namespace {

using ::testing::ElementsAre;

/// What glog would write.
struct GlogLines final : google::LogSink {
  void send(google::LogSeverity severity, const char*, const char* file, int, const struct ::tm*, const char* message,
            std::size_t length) override {
    lines.push_back(std::string(google::GetLogSeverityName(severity)) + " " + file + " " +
                    std::string(message, length));
  }
  std::vector<std::string> lines;
};

TEST(GlogLogSinkTest, LinesArriveWithTheirSeverityAndFields) {
  GlogLines seen;
  google::AddLogSink(&seen);
  const bool to_stderr = FLAGS_logtostderr;
  FLAGS_logtostderr = true;
  FLAGS_v = 1;
  set_log_sink(std::make_shared<GlogLogSink>(), LogLevel::Trace);

  testing::internal::CaptureStderr();
  log(LogLevel::Trace, "above the verbosity");
  log(LogLevel::Debug, "debug", {{"resource", "pods"}});
  log(LogLevel::Info, "info");
  log(LogLevel::Warning, "warning");
  log(LogLevel::Error, "error");
  set_log_sink(nullptr);
  google::RemoveLogSink(&seen);
  testing::internal::GetCapturedStderr();
  FLAGS_logtostderr = to_stderr;

  EXPECT_THAT(seen.lines, ElementsAre("INFO kubexx debug resource=\"pods\"", "INFO kubexx info",
                                      "WARNING kubexx warning", "ERROR kubexx error"));
}

}  // namespace
}  // namespace kubexx::adapters
