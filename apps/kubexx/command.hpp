#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "flags.hpp"
#include "output.hpp"

namespace kubexx::app {

/// Each adds its command, with flags and help, below the program.
void add_apiserver(Command program);
void add_bench(Command program);
void add_completion(Command program);
void add_demo(Command program);
void add_gen(Command program);
void add_get(Command program);
void add_rbac(Command program);
void add_init(Command program);
void add_logs(Command program);
void add_man(Command program);
void add_top_cache(Command program);
void add_tree(Command program);
void add_version(Command program);
void add_watch(Command program);

/// What the completion scripts ask: prints what the last of the words, unfinished, may become.
int complete(Command program, std::vector<std::string> words);

}  // namespace kubexx::app
