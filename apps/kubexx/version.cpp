#include <memory>

#include "command.hpp"
#include "kubexx/base/version.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::app {
namespace {

struct Flags {
  Connection connection;
  std::string output;
  bool client_only = false;
};

int version(const Flags& flags) {
  std::string server;
  std::string why;
  if (!flags.client_only) {
    auto call = until_signal();
    call.timeout = std::chrono::seconds(5);
    if (auto client = flags.connection.connect(); !client) {
      why = client.error().message();
    } else if (auto found = client::server_version(*client, call); !found && found.error().is_canceled()) {
      return fail(found.error());
    } else if (!found) {
      why = found.error().message();
    } else {
      server = found->git_version;
    }
  }
  if (flags.output == "json") {
    std::string text = R"({"client":)";
    meta::append_json_string(text, kVersion);
    text += R"(,"kubernetes":)";
    meta::append_json_string(text, kKubernetesVersion);
    if (!server.empty()) {
      text += R"(,"server":)";
      meta::append_json_string(text, server);
    }
    out().write(text + "}\n");
  } else {
    out().write("kubexx " KUBEXX_VERSION " (Kubernetes " KUBEXX_KUBERNETES_VERSION ")\n");
    if (!server.empty()) out().write("server " + server + '\n');
  }
  if (!why.empty()) note("server not reached: " + why);
  return 0;
}

}  // namespace

void add_version(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("version", "Print the version, and the server's if it can be reached");
  command.footer("Examples:\n  kubexx version\n  kubexx version --client -o json");
  command.flag("--client", &flags->client_only, "Do not ask the server");
  add_output(command, flags->output, {"json"});
  flags->connection.add_to(command);
  command.on_run([flags] { return version(*flags); });
}

}  // namespace kubexx::app
