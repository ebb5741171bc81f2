#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/internal/wipe.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::rest {

struct SubprocessResult {
  int exit_code = 0;  ///< 128 + n when signal n ended it
  std::string output;
  SubprocessResult() = default;
  SubprocessResult(SubprocessResult&&) noexcept = default;
  ~SubprocessResult() { wipe(output); }
};

struct SubprocessOptions {
  bool pass_stdin = false;  ///< it shares our terminal, where somebody may have to type: then there is no time limit
  Duration timeout{};       ///< 0: none
  std::stop_token stop = {};
};

/// Runs a program to its end and collects its standard output. Standard error is ours. `environment` is added to ours;
/// of a name that is there twice the last one counts. A command without a slash is looked for in the absolute folders
/// of PATH: what lies in the working directory is not run by accident.
///
/// Blocks. Stop ends the program and is Canceled; its time, or output beyond 1 MB, end it too and are Errors. It is
/// ended with what it started, unless it shares our terminal: asked first (SIGTERM), and a second later by force.
/// A program that does not exist is an Error whose message contains "not found".
Result<SubprocessResult> run_program(const std::string& command, const std::vector<std::string>& arguments,
                                     const std::vector<std::pair<std::string, std::string>>& environment,
                                     const SubprocessOptions& options);

}  // namespace kubexx::rest
