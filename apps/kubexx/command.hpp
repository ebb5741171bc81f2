#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "flags.hpp"
#include "output.hpp"

namespace kubexx::app {

/// A command sets its flags on `parent` and leaves what to run in `run`; the result is the exit code.
using Run = std::function<int()>;
void add_apiserver(CLI::App& parent, Run& run);
void add_completion(CLI::App& parent, Run& run);
void add_demo(CLI::App& parent, Run& run);
void add_gen(CLI::App& parent, Run& run);
void add_get(CLI::App& parent, Run& run);
void add_top_cache(CLI::App& parent, Run& run);
void add_tree(CLI::App& parent, Run& run);
void add_version(CLI::App& parent, Run& run);
void add_watch(CLI::App& parent, Run& run);

/// What the completion scripts ask: prints what the last of the words, unfinished, may become.
int complete(const CLI::App& program, std::vector<std::string> words);

}  // namespace kubexx::app
