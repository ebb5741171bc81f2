#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "flags.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::app {

/// Exit codes: 0 done, 1 the command failed, 2 it was called wrongly. Whoever is ended by a signal has 128 + its
/// number.
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

/// One line on standard error: "kubexx: ...". Returns the exit code. What a signal canceled ends as the signal would
/// end it, without a line.
int fail(const Error& error);
/// The same where the command goes on with what else it has to do.
int fail_and_go_on(const Error& error);
/// For the thread that finds no memory, whichever it is: what it was to do will not be done, and others may wait for
/// it. Says so, unless fail() has said why the program ends, and ends it; a second thread waits for that end.
[[noreturn]] void end_without_memory();
/// The exit code of a command that runs until it is told to stop: a signal is its orderly end.
int until_stopped(int code);
/// The same for a call that cannot be right.
int misuse(std::string_view message);
/// A line on standard error that is no failure.
void note(std::string_view message);

/// Standard output: whole pieces of text, from any thread. A reader that went away (`| head`) is no error; whoever
/// writes on learns it from `broken()`.
class Output {
 public:
  bool write(std::string_view text);
  std::stop_token broken() const { return broken_.get_token(); }
  /// Exit code of a command that would end with `code`: failed writes are reported, a lost reader is not.
  int finish(int code);

 private:
  std::mutex mutex_;
  int failure_ = 0;  // guarded by mutex_; errno of the first failed write
  std::stop_source broken_;
};
Output& out();

/// "pod/web-1", "deployment.apps/web": as kubectl -o name.
std::string object_name(const client::ApiResource& resource, std::string_view name);
/// One object in a form that is no table: json, yaml (with "---" before all but the first), jsonl, name.
std::string object_text(Format format, const client::ApiResource& resource, const meta::Object& object, bool first);

/// "1234567" as "1,234,567".
std::string grouped(std::uint64_t number);
/// "512 B", "3.4 MB".
std::string human_bytes(double bytes);

}  // namespace kubexx::app
