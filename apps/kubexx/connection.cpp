#include <iostream>

#include "command.hpp"

namespace kubexx::app {

void Connection::add_to(CLI::App& command) {
  const std::string group = "Cluster";
  command.add_option("--kubeconfig", options.kubeconfig, "Path of the kubeconfig file")->group(group);
  command.add_option("--context", options.context, "Context of the kubeconfig to use")->group(group);
  command.add_option("--cluster", options.cluster, "Cluster of the kubeconfig to use")->group(group);
  command.add_option("--user", options.user, "User of the kubeconfig to use")->group(group);
  command.add_option("-s,--server", options.server, "Address of the API server")->group(group);
  command.add_option("--token", options.token, "Bearer token")->group(group);
  command.add_option("--as", options.impersonate.user, "User to impersonate")->group(group);
  command.add_option("--as-group", options.impersonate.groups, "Group to impersonate; may be repeated")->group(group);
  command.add_option("--certificate-authority", options.certificate_authority, "File with the CA")->group(group);
  command.add_option("--client-certificate", options.client_certificate, "File with a client certificate")
      ->group(group);
  command.add_option("--client-key", options.client_key, "File with its key")->group(group);
  command.add_option("--tls-server-name", options.tls_server_name, "Name the server's certificate must have")
      ->group(group);
  command.add_flag("--insecure-skip-tls-verify", insecure, "Do not verify the server's certificate")->group(group);
}

Result<rest::Client> Connection::connect() const {
  auto wanted = options;
  if (insecure) wanted.insecure_skip_tls_verify = true;
  auto config = rest::Config::load(wanted);
  if (!config) return config.error();
  config->user_agent = "kubexx/" KUBEXX_VERSION;
  return rest::Client::create(std::move(*config));
}

int fail(const Error& error) {
  std::cerr << "kubexx: " << error.message() << '\n';
  return kFailed;
}

}  // namespace kubexx::app
