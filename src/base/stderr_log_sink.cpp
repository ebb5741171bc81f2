#include <unistd.h>

#include <cstdio>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx {

namespace {

void append_time(std::string& out, WallTime time) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(time - std::chrono::floor<std::chrono::days>(time));
  const std::chrono::hh_mm_ss parts(ms);
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", static_cast<int>(parts.hours().count()),
                static_cast<int>(parts.minutes().count()), static_cast<int>(parts.seconds().count()),
                static_cast<int>(parts.subseconds().count()));
  out += text;
}

class StderrLogSink final : public LogSink {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    std::string line;
    line += "TDIWE-"[static_cast<std::size_t>(level)];
    line += ' ';
    append_time(line, Clock::system().wall());
    line += ' ';
    line += log_line(message, fields);
    line += '\n';
    // One write a line keeps lines of several threads apart.
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (written <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
};

}  // namespace

std::shared_ptr<LogSink> stderr_log_sink() {
  return std::make_shared<StderrLogSink>();
}

}  // namespace kubexx
