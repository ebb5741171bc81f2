#include <iostream>

#include "command.hpp"

namespace kubexx::app {

void add_version(CLI::App& parent, Run& run) {
  auto* command = parent.add_subcommand("version", "Print the version");
  command->callback([&run] {
    run = [] {
      std::cout << "kubexx " KUBEXX_VERSION << " (Kubernetes 1.36)\n";
      return 0;
    };
  });
}

}  // namespace kubexx::app
