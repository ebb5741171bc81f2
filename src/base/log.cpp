#include "kubexx/base/log.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/internal/enum_name.hpp"
#include "kubexx/base/error.hpp"

namespace kubexx {

namespace {

// Asked before every line, so it stands alone: one relaxed load for a line that nobody wants.
constinit std::atomic<LogLevel> minimum_level{LogLevel::Warning};

struct GlobalLog {
  std::mutex mutex;
  std::shared_ptr<LogSink> sink = stderr_log_sink();  // guarded by mutex
};

// Never destroyed: threads may log while static objects go.
GlobalLog& global_log() {
  static GlobalLog& instance = *new GlobalLog;
  return instance;
}

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

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
  static constexpr std::string_view kNames[] = {"trace", "debug", "info", "warning", "error", "off"};
  return enum_name<LogLevel::Off>(level, kNames);
}

LogField::LogField(std::string_view k, const kubexx::Error& v) : key(k), value(v.message()) {}

std::string log_line(std::string_view message, std::span<const LogField> fields) {
  std::string line;
  append_log_text(line, message, false);
  for (const LogField& field : fields) {
    line += ' ';
    append_log_text(line, field.key, false);
    line += "=\"";
    append_log_text(line, field.value, true);
    line += '"';
  }
  return line;
}

void set_log_sink(std::shared_ptr<LogSink> sink, LogLevel minimum) {
  GlobalLog& g = global_log();
  std::lock_guard lock(g.mutex);
  minimum_level.store(sink ? minimum : LogLevel::Off, std::memory_order_relaxed);
  g.sink.swap(sink);
  // The old sink is destroyed by the parameter, after the lock is gone.
}

bool log_enabled(LogLevel level) noexcept {
  return level >= minimum_level.load(std::memory_order_relaxed) && level != LogLevel::Off;
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!log_enabled(level)) return;
  std::shared_ptr<LogSink> sink;
  {
    std::lock_guard lock(global_log().mutex);
    sink = global_log().sink;
  }
  if (!sink) return;
  try {
    sink->write(level, message, std::span<const LogField>(fields.begin(), fields.size()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): a log line that cannot be written has nowhere else to go
  }
}

}  // namespace kubexx
