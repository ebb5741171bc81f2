#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "kubexx/base/export.hpp"

namespace kubexx {

class Error;

/// How much a line matters; Off is for sinks that want none.
enum class LogLevel : std::uint8_t { Trace, Debug, Info, Warning, Error, Off };
KUBEXX_EXPORT std::string_view to_string(LogLevel level) noexcept;

/// One key and value of a log line; values are turned into text when the line is wanted, not before.
struct KUBEXX_EXPORT LogField {
  std::string_view key = {};
  std::string value = {};

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  LogField(std::string_view k, const kubexx::Error& v);
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

/// Where log lines go.
///
/// Threads: called from any thread, several at once, without a lock of ours; must not block for long and must not log.
/// Errors: what it throws is lost, and so is the line.
/// Example:
///
///     class Shown final : public LogSink {
///      public:
///       void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
///         show_the_user(to_string(level), log_line(message, fields));
///       }
///     };
///     set_log_sink(std::make_shared<Shown>(), LogLevel::Debug);
class KUBEXX_EXPORT LogSink {
 public:
  virtual ~LogSink() = default;
  /// Takes one line. Called from any thread, also from several at once.
  virtual void write(LogLevel level, std::string_view message, std::span<const LogField> fields) = 0;
};

/// `watch ended resource="pods" error="..."`: a message and its fields in one line, for sinks that write text.
/// Characters that would begin a line or steer a terminal are escaped.
KUBEXX_EXPORT std::string log_line(std::string_view message, std::span<const LogField> fields);

/// Where a program wants the lines. Until it says so, warnings and errors go to standard error; null: nowhere.
KUBEXX_EXPORT void set_log_sink(std::shared_ptr<LogSink> sink, LogLevel minimum = LogLevel::Info);
KUBEXX_EXPORT bool log_enabled(LogLevel level) noexcept;
KUBEXX_EXPORT void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

/// Lines like `W 12:00:01.123 watch ended resource="pods" error="..."` on standard error.
KUBEXX_EXPORT std::shared_ptr<LogSink> stderr_log_sink();

}  // namespace kubexx
