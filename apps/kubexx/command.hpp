#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "kubexx/base/result.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/rest/config.hpp"

namespace kubexx::app {

/// Exit codes: 0 done, 1 the command failed, 2 it was called wrongly.
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

/// A command sets its flags on `parent` and leaves what to run in `run`; the result is the exit code.
using Run = std::function<int()>;
void add_apiserver(CLI::App& parent, Run& run);
void add_demo(CLI::App& parent, Run& run);
void add_gen(CLI::App& parent, Run& run);
void add_version(CLI::App& parent, Run& run);
void add_watch(CLI::App& parent, Run& run);

/// The flags with which every command finds its cluster, named as kubectl names them.
struct Connection {
  rest::LoadOptions options;
  bool insecure = false;
  void add_to(CLI::App& command);
  Result<rest::Client> connect() const;
};

/// One line on standard error: "kubexx: ...". Returns the exit code.
int fail(const Error& error);

}  // namespace kubexx::app
