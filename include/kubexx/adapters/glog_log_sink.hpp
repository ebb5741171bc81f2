#pragma once

#include <glog/logging.h>

#include "kubexx/base/log.hpp"

namespace kubexx::adapters {

/// Log lines of the library to glog. It has no levels below INFO: Debug is VLOG(1), Trace VLOG(2). Its lines name a
/// file; ours name "kubexx".
///
/// Threads: safe from any thread, as glog is.
/// Errors: none; what glog cannot write it says itself.
/// Example:
///
///     set_log_sink(std::make_shared<adapters::GlogLogSink>());
class GlogLogSink final : public LogSink {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    if (level == LogLevel::Off || (level == LogLevel::Debug && !VLOG_IS_ON(1)) ||
        (level == LogLevel::Trace && !VLOG_IS_ON(2))) {
      return;
    }
    const auto severity = level == LogLevel::Error     ? google::GLOG_ERROR
                          : level == LogLevel::Warning ? google::GLOG_WARNING
                                                       : google::GLOG_INFO;
    google::LogMessage("kubexx", 0, severity).stream() << log_line(message, fields);
  }
};

}  // namespace kubexx::adapters
