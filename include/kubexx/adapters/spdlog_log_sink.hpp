#pragma once

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "kubexx/base/log.hpp"

namespace kubexx::adapters {

/// Log lines of the library to a logger of spdlog, which decides by its own level too.
///
/// Threads: safe from any thread if the logger's sinks are ("_mt").
/// Errors: none; what spdlog cannot write it says itself. Without a logger nothing is written.
/// Example:
///
///     set_log_sink(std::make_shared<adapters::SpdlogLogSink>(spdlog::get("kubexx")), LogLevel::Debug);
class SpdlogLogSink final : public LogSink {
 public:
  explicit SpdlogLogSink(std::shared_ptr<spdlog::logger> logger = spdlog::default_logger())
      : logger_(std::move(logger)) {}

  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    const auto to = level_of(level);
    if (!logger_ || !logger_->should_log(to)) return;
    const std::string line = log_line(message, fields);
    logger_->log(to, spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  static spdlog::level::level_enum level_of(LogLevel level) noexcept {
    switch (level) {
      case LogLevel::Trace:
        return spdlog::level::trace;
      case LogLevel::Debug:
        return spdlog::level::debug;
      case LogLevel::Info:
        return spdlog::level::info;
      case LogLevel::Warning:
        return spdlog::level::warn;
      case LogLevel::Error:
        return spdlog::level::err;
      case LogLevel::Off:
        break;
    }
    return spdlog::level::off;
  }

  const std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace kubexx::adapters
