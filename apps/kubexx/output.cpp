#include "output.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

#include "kubexx/base/stop.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

/// Who says why the program ends: threads that find no memory while another one says so are not to add a second line.
enum class LastLine { None, Begun, Said, Memory };
std::atomic<LastLine> last_line{LastLine::None};

[[noreturn]] void wait_for_the_end() {
  while (true) ::pause();
}

void write_last_line(const std::string& line) {
  auto before = last_line.load();
  do {
    if (before == LastLine::Memory) wait_for_the_end();
  } while (!last_line.compare_exchange_weak(before, LastLine::Begun));
  std::cerr << line;
  last_line.store(LastLine::Said);
}

/// What a person can do about it, in the same line.
std::string advice(const Error& error) {
  if (error.is_unauthorized()) return " (the server does not accept these credentials: check the user or --token)";
  if (error.is_forbidden()) return " (ask for the right to do so, or choose another --user or --context)";
  const bool answered = error.transport_failure() == TransportFailure::TooLarge;
  if (error.kind() == ErrorKind::Transport && !answered) {
    return " (is the server running? --kubeconfig, --context or --server choose another)";
  }
  return "";
}

int say(const Error& error, bool last) {
  if (error.is_canceled() && stop_signal() != 0) return 128 + stop_signal();
  const auto line = "kubexx: " + one_line(error.message()) + advice(error) + '\n';
  if (last) {
    write_last_line(line);
  } else {
    std::cerr << line;
  }
  return kFailed;
}

}  // namespace

int fail(const Error& error) {
  return say(error, true);
}

int fail_and_go_on(const Error& error) {
  return say(error, false);
}

void end_without_memory() {
  auto before = last_line.load();
  do {
    while (before == LastLine::Begun) {
      std::this_thread::yield();
      before = last_line.load();
    }
    if (before == LastLine::Memory) wait_for_the_end();
  } while (!last_line.compare_exchange_weak(before, LastLine::Memory));
  constexpr std::string_view kText = "kubexx: out of memory\n";
  if (before == LastLine::None) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  }
  ::_exit(kFailed);
}

int until_stopped(int code) {
  return stop_signal() != 0 && code == 128 + stop_signal() ? 0 : code;
}

int misuse(std::string_view message) {
  std::cerr << "kubexx: " << one_line(message) << '\n';
  return kUsage;
}

void note(std::string_view message) {
  std::cerr << one_line(message) << '\n';
}

bool Output::write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  while (!text.empty() && failure_ == 0) {
    const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
  if (failure_ != 0) broken_.request_stop();
  return failure_ == 0;
}

int Output::finish(int code) {
  const std::lock_guard lock(mutex_);
  if (failure_ == 0 || failure_ == EPIPE) return code;
  std::cerr << "kubexx: standard output: " << std::strerror(failure_) << '\n';
  return kFailed;
}

Output& out() {
  static Output output;
  return output;
}

std::string object_name(const client::ApiResource& resource, std::string_view name) {
  std::string text = resource.singular.empty() ? resource.resource.resource : resource.singular;
  if (!resource.resource.group.empty()) text += '.' + resource.resource.group;
  return text + '/' + std::string(name);
}

std::string object_text(Format format, const client::ApiResource& resource, const meta::Object& object, bool first) {
  switch (format) {
    case Format::Json:
      return meta::to_json_pretty(object) + '\n';
    case Format::Yaml: {
      auto text = (first ? "" : "---\n") + meta::to_yaml(object, meta::YamlKeys::Sorted);
      if (!text.ends_with('\n')) text += '\n';
      return text;
    }
    case Format::JsonLines:
      return meta::to_json(object) + '\n';
    default:
      return printable(object_name(resource, object.name())) + '\n';
  }
}

std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string human_bytes(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 3) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
  return text;
}

}  // namespace kubexx::app
