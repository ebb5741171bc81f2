#include "kubexx/apiserver/server.hpp"

#include <iostream>
#include <memory>

#include "command.hpp"
#include "kubexx/base/stop.hpp"

namespace kubexx::app {

void add_apiserver(CLI::App& parent, Run& run) {
  struct Flags {
    apiserver::Options options;
    std::string kubeconfig_out;
    std::vector<std::string> runtime_config;
    bool cleartext = false;
    bool no_auth = false;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = parent.add_subcommand("apiserver", "Serve a Kubernetes API from memory, on loopback");
  command->footer(
      "Examples:\n  kubexx apiserver --kubeconfig-out /tmp/kc &\n  kubectl --kubeconfig /tmp/kc get namespaces");
  command->add_option("--address", flags->options.address, "Address to listen on")->capture_default_str();
  command->add_option("--port", flags->options.port, "Port to listen on; 0 picks one")->capture_default_str();
  command->add_flag("--cleartext", flags->cleartext,
                    "Serve http instead of https; clients send no credentials there, so whoever comes is admin");
  command->add_option("--kubeconfig-out", flags->kubeconfig_out, "Write a kubeconfig to this file once it serves");
  command->add_option("--runtime-config", flags->runtime_config,
                      "api/all serves every version in the schema, old ones too");
  command->add_option("--token", flags->options.admin_token, "Token of the admin; default: a random one");
  command->add_flag("--no-auth", flags->no_auth, "Whoever comes is admin");
  command->add_flag("--fault-path", flags->options.fault_path, "Serve /kubexx/faults, to disturb clients on purpose");
  command->callback([flags, &run] {
    run = [flags] {
      for (const auto& setting : flags->runtime_config) {
        if (setting == "api/all" || setting == "api/all=true") {
          flags->options.api_all = true;
        } else {
          std::cerr << "kubexx: --runtime-config knows api/all, not " << setting << '\n';
          return kUsage;
        }
      }
      flags->options.tls = !flags->cleartext;
      flags->options.authentication = !flags->no_auth && (!flags->cleartext || !flags->options.admin_token.empty());
      const auto stop = stop_on_signals();
      auto server = apiserver::Server::start(flags->options);
      if (!server) return fail(server.error());
      if (!flags->kubeconfig_out.empty()) {
        if (auto written = (*server)->write_kubeconfig(flags->kubeconfig_out); !written) return fail(written.error());
      }
      std::cout << "serving on " << (*server)->url() << std::endl;
      wait_for_stop(stop);
      (*server)->stop();
      return 0;
    };
  });
}

}  // namespace kubexx::app
