#include <memory>

#include "command.hpp"
#include "generate.hpp"

namespace kubexx::app {

void add_gen(Command program) {
  auto command = program.subcommand("gen", "Write C++ headers for custom resources");
  command.footer("Examples:\n  kubexx gen --crd foo.yaml --out generated");
  auto job = std::make_shared<gen::Job>();
  command.option("--crd", &job->crds, "Files with CustomResourceDefinitions").required();
  command.option("--namespace", &job->space, "C++ namespace (default: the first label of the group)");
  command.option("--out", &job->out, "Folder to write to").required();
  command.on_run([job] {
    const auto files = gen::generate(*job);
    if (!files) return fail(files.error());
    for (const auto& path : *files) out().write(path + '\n');
    return 0;
  });
}

}  // namespace kubexx::app
