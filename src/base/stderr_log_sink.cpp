#include <unistd.h>

#include <cstdio>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx {

namespace {

// Text from outside must not start lines of its own or move the terminal's cursor.
void append_log_text(std::string& out, std::string_view text, bool quoted) {
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", byte);
      out += code;
    } else {
      if (quoted && (c == '"' || c == '\\')) out += '\\';
      out += c;
    }
  }
}

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
    append_log_text(line, message, false);
    for (const LogField& field : fields) {
      line += ' ';
      append_log_text(line, field.key, false);
      line += "=\"";
      append_log_text(line, field.value, true);
      line += '"';
    }
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
