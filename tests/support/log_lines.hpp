#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/log.hpp"

namespace kubexx {

/// Writes down what is logged while it lives, as "level message key=value ...".
class LogLines {
 public:
  LogLines() { set_log_sink(sink_); }
  ~LogLines() { set_log_sink(nullptr); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::vector<std::string> all() const {
    const std::lock_guard lock(sink_->mutex);
    return sink_->lines;
  }
  void clear() {
    const std::lock_guard lock(sink_->mutex);
    sink_->lines.clear();
  }

 private:
  struct Sink final : LogSink {
    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
      std::string line = std::string(to_string(level)) + " " + std::string(message);
      for (const auto& field : fields) line += " " + std::string(field.key) + "=" + field.value;
      const std::lock_guard lock(mutex);
      lines.push_back(std::move(line));
    }
    std::mutex mutex;
    std::vector<std::string> lines;  // guarded by mutex
  };
  std::shared_ptr<Sink> sink_ = std::make_shared<Sink>();
};

}  // namespace kubexx
