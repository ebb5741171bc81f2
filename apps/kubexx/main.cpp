#include <csignal>

#include "command.hpp"
#include "kubexx/base/log.hpp"

int main(int argc, char** argv) {
  using namespace kubexx;
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App program("kubexx: informers, listers and controllers of Kubernetes for C++", "kubexx");
  program.require_subcommand(1);
  program.fallthrough();
  int verbosity = 0;
  program.add_flag("-v,--verbose", verbosity, "Log what happens to standard error; twice for more");
  app::Run run;
  app::add_apiserver(program, run);
  app::add_demo(program, run);
  app::add_gen(program, run);
  app::add_version(program, run);
  app::add_watch(program, run);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    std::cerr << "kubexx: " << error.what() << " (kubexx --help shows the commands)\n";
    return app::kUsage;
  }
  if (verbosity > 0) set_log_sink(stderr_log_sink(), verbosity > 1 ? LogLevel::Debug : LogLevel::Info);
  return run();
}
