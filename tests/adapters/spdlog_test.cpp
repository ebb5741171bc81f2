#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "kubexx/adapters/spdlog_log_sink.hpp"

namespace kubexx::adapters {
namespace {

TEST(SpdlogLogSinkTest, LinesArriveWithTheirLevelAndFieldsAndAreNoFormats) {
  std::ostringstream out;
  const auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(out));
  logger->set_pattern("%l|%v");
  logger->set_level(spdlog::level::debug);
  set_log_sink(std::make_shared<SpdlogLogSink>(logger), LogLevel::Trace);

  log(LogLevel::Trace, "too small for the logger");
  log(LogLevel::Debug, "{} is no format", {{"resource", "pods"}, {"n", 3}});
  log(LogLevel::Info, "info");
  log(LogLevel::Warning, "warning\nwith a line");
  log(LogLevel::Error, "error");
  set_log_sink(nullptr);

  EXPECT_EQ(out.str(),
            "debug|{} is no format resource=\"pods\" n=\"3\"\n"
            "info|info\nwarning|warning\\nwith a line\nerror|error\n");
}

}  // namespace
}  // namespace kubexx::adapters
