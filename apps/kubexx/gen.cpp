#include <iostream>
#include <memory>

#include "command.hpp"
#include "generate.hpp"

namespace kubexx::app {

void add_gen(CLI::App& parent, Run& run) {
  auto* command = parent.add_subcommand("gen", "Write C++ headers for custom resources");
  auto job = std::make_shared<gen::Job>();
  command->add_option("--crd", job->crds, "Files with CustomResourceDefinitions")->required();
  command->add_option("--out", job->out, "Folder to write to")->required();
  command->callback([&run, job] {
    run = [job] {
      const auto files = gen::generate(*job);
      if (!files) {
        std::cerr << "kubexx: " << files.error().message() << '\n';
        return 1;
      }
      for (const auto& path : *files) std::cout << path << '\n';
      return 0;
    };
  });
}

}  // namespace kubexx::app
