#include <clocale>
#include <csignal>
#include <iostream>
#include <string>

#include "command.hpp"
#include "kubexx/base/edit_distance.hpp"
#include "kubexx/base/log.hpp"
#include "terminal.hpp"

namespace kubexx::app {
namespace {

/// One line: what is wrong, what was meant perhaps, and where to read more.
int explain(const CLI::App& program, const CLI::ParseError& error, int argc, char** argv) {
  const auto parsed = program.get_subcommands();
  if (!parsed.empty()) {
    const auto& name = parsed.front()->get_name();
    return misuse(std::string(error.what()) + " (kubexx " + name + " --help shows the flags)");
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--color") ++i;
    if (word.starts_with('-')) continue;
    std::string best;
    auto least = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const auto* command : program.get_subcommands({})) {
      const auto& name = command->get_name();
      if (const auto away = edit_distance(word, name); away < least) {
        least = away;
        best = name;
      }
    }
    return misuse("unknown command \"" + word + "\"" + (best.empty() ? "" : " (did you mean " + best + "?)") +
                  (best.empty() ? " (kubexx --help shows the commands)" : ""));
  }
  if (argc > 1) return misuse(std::string(error.what()) + " (kubexx --help shows the commands)");
  return misuse("which command? (kubexx --help shows them)");
}

int run_program(int argc, char** argv) {
  CLI::App program("kubexx: informers, listers and controllers of Kubernetes for C++", "kubexx");
  program.require_subcommand(1);
  program.fallthrough();
  program.footer(
      "Examples:\n"
      "  kubexx demo                      a small moving cluster in this process, to look at\n"
      "  kubexx watch pods -A             a live table\n"
      "  kubexx get deploy web -o yaml    one object\n"
      "  kubexx watch --help              flags and examples of a command");
  int verbosity = 0;
  std::string color = "auto";
  program.add_flag("-v,--verbose", verbosity, "Log what happens to standard error; twice for more");
  program.add_option("--color", color, "Colors: auto (on a terminal, without $NO_COLOR), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  Run run;
  add_get(program, run);
  add_watch(program, run);
  add_tree(program, run);
  add_top_cache(program, run);
  add_demo(program, run);
  add_apiserver(program, run);
  add_gen(program, run);
  add_completion(program, run);
  add_version(program, run);
  if (argc > 2 && std::string_view(argv[1]) == "__complete") return complete(program, {argv + 3, argv + argc});
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    return explain(program, error, argc, argv);
  }
  if (verbosity > 0) set_log_sink(stderr_log_sink(), verbosity > 1 ? LogLevel::Debug : LogLevel::Info);
  set_color(color);
  return out().finish(run());
}

}  // namespace
}  // namespace kubexx::app

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");   // how wide letters are; NOLINT(concurrency-mt-unsafe): there are no threads yet
  std::signal(SIGPIPE, SIG_IGN);  // `| head` ends a command through its failed write
  return kubexx::app::run_program(argc, argv);
}
