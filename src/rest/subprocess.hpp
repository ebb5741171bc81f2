#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/result.hpp"

namespace kubexx::rest {

struct SubprocessResult {
  int exit_code = 0;  ///< 128 + n when signal n ended it
  std::string output;
};

/// Runs a program to its end and collects its standard output. Standard error is ours. `environment` is added to ours.
/// Blocks; stop kills the program, with what it started unless it shares our terminal, and is Canceled. So does output
/// beyond 1 MB, and is an Error.
/// A program that does not exist is an Error whose message contains "not found".
Result<SubprocessResult> run_program(const std::string& command, const std::vector<std::string>& arguments,
                                     const std::vector<std::pair<std::string, std::string>>& environment,
                                     bool pass_stdin, const std::stop_token& stop);

}  // namespace kubexx::rest
