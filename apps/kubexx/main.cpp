#include <algorithm>
#include <clocale>
#include <csignal>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/internal/edit_distance.hpp"
#include "command.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "terminal.hpp"

namespace kubexx::app {
namespace {

/// One line: what is wrong, what was meant perhaps, and where to read more.
int explain(CommandLine& line, const std::string& wrong, int argc, char** argv) {
  if (const auto name = line.parsed_command(); !name.empty()) {
    return misuse(wrong + " (kubexx " + name + " --help shows the flags)");
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--color") ++i;
    if (word.starts_with('-')) continue;
    std::string best;
    auto least = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const auto& command : line.program().subcommands()) {
      const auto name = command.name();
      if (const auto away = edit_distance(word, name); away < least) {
        least = away;
        best = name;
      }
    }
    return misuse("unknown command \"" + word + "\"" + (best.empty() ? "" : " (did you mean " + best + "?)") +
                  (best.empty() ? " (kubexx --help shows the commands)" : ""));
  }
  if (argc > 1) return misuse(wrong + " (kubexx --help shows the commands)");
  return misuse("which command? (kubexx --help shows them)");
}

int run_program(int argc, char** argv) {
  CommandLine line("kubexx", "kubexx: informers, listers and controllers of Kubernetes for C++");
  auto program = line.program();
  program.footer(
      "Examples:\n"
      "  kubexx demo                      a small moving cluster in this process, to look at\n"
      "  kubexx watch pods -A             a live table\n"
      "  kubexx get deploy web -o yaml    one object\n"
      "  kubexx watch --help              flags and examples of a command");
  int verbosity = 0;
  std::string color = "auto";
  program.flag("-v,--verbose", &verbosity, "Log what happens to standard error; twice for more");
  program.option("--color", &color, "Colors: auto (on a terminal, without $NO_COLOR), always, never")
      .choices({"auto", "always", "never"})
      .type_name("WHEN");
  add_get(program);
  add_watch(program);
  add_logs(program);
  add_tree(program);
  add_top_cache(program);
  add_bench(program);
  add_demo(program);
  add_apiserver(program);
  add_gen(program);
  add_rbac(program);
  add_init(program);
  add_completion(program);
  add_man(program);
  add_version(program);
  if (argc > 2 && std::string_view(argv[1]) == "__complete") return complete(program, {argv + 3, argv + argc});
  const auto run = line.parse(argc, argv);
  if (!run) return explain(line, run.error().message(), argc, argv);
  // Commands say themselves what a person must know; log lines would tear their tables.
  set_log_sink(verbosity > 0 ? stderr_log_sink() : nullptr, verbosity > 1 ? LogLevel::Debug : LogLevel::Info);
  set_color(color);
  return out().finish((*run)());
}

}  // namespace
}  // namespace kubexx::app

int main(int argc, char** argv) {
  std::set_new_handler(kubexx::app::end_without_memory);
  std::setlocale(LC_CTYPE, "");   // how wide letters are; NOLINT(concurrency-mt-unsafe): there are no threads yet
  std::signal(SIGPIPE, SIG_IGN);  // `| head` ends a command through its failed write
  try {
    return kubexx::app::run_program(argc, argv);
  } catch (const std::system_error& e) {
    return kubexx::app::fail(kubexx::Error::config(std::string("out of threads or files: ") + e.what()));
  } catch (...) {
    return kubexx::app::fail(kubexx::current_exception_as_error());
  }
}
