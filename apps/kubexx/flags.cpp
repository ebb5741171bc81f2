#include "flags.hpp"

#include <algorithm>
#include <charconv>

#include "command_line.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/base/version.hpp"
#include "kubexx/meta/field_selector.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "output.hpp"

namespace kubexx::app {

void Connection::add_to(Command command, bool cluster_name) {
  const std::string group = "Cluster";
  command.option("--kubeconfig", &options.kubeconfig, "Path of the kubeconfig file").group(group);
  command.option("--context", &options.context, "Context of the kubeconfig to use").group(group);
  if (cluster_name) {
    command.option("--cluster", &options.cluster, "Cluster of the kubeconfig to use").group(group);
  }
  command.option("--user", &options.user, "User of the kubeconfig to use").group(group);
  command.option("-s,--server", &options.server, "Address of the API server").group(group);
  command.option("--token", &options.token, "Bearer token").group(group);
  command.option("--as", &options.impersonate.user, "User to impersonate").group(group);
  command.option("--as-group", &options.impersonate.groups, "Group to impersonate; may be repeated").group(group);
  command.option("--certificate-authority", &options.certificate_authority, "File with the CA").group(group);
  command.option("--client-certificate", &options.client_certificate, "File with a client certificate").group(group);
  command.option("--client-key", &options.client_key, "File with its key").group(group);
  command.option("--tls-server-name", &options.tls_server_name, "Name the server's certificate must have").group(group);
  command.flag("--insecure-skip-tls-verify", &insecure, "Do not verify the server's certificate").group(group);
  command.option("--request-timeout", &request_timeout, "How long one request may take (1s, 2m); 0: for ever")
      .check(wrong_duration)
      .group(group);
}

Result<rest::Config> Connection::load() const {
  auto wanted = options;
  if (insecure) wanted.insecure_skip_tls_verify = true;
  wanted.on_warning = [this](std::string_view text) {
    if (!quiet) note("kubexx: warning: " + std::string(text));
  };
  if (!request_timeout.empty()) {
    const auto timeout = parse_duration(request_timeout);
    if (!timeout) return timeout.error().with_context("--request-timeout");
    if (*timeout > Duration::zero()) wanted.timeout = *timeout;
  }
  auto config = rest::Config::load(wanted);
  if (!config) return config.error();
  config->user_agent = "kubexx/" KUBEXX_VERSION;
  return config;
}

Result<rest::Client> Connection::connect() const {
  auto config = load();
  if (!config) return config.error();
  return rest::Client::create(std::move(*config));
}

rest::CallOptions until_signal() {
  rest::CallOptions options;
  options.stop = stop_on_signals();
  return options;
}

void Selection::add_to(Command command, Connection& connection) {
  command.option("-n,--namespace", &connection.options.namespace_, "Namespace; default: the context's");
  command.flag("-A,--all-namespaces", &all_namespaces, "All namespaces");
  command.option("-l,--selector", &label_selector, "Label selector, like app=web,tier!=db");
  command.option("--field-selector", &field_selector, "Field selector, like status.phase=Running");
}

std::string Selection::namespace_of(const rest::Client& client) const {
  return all_namespaces ? std::string() : client.config().default_namespace;
}

Result<void> Selection::check() const {
  if (const auto labels = meta::LabelSelector::parse(label_selector); !labels) {
    return labels.error().with_context("--selector");
  }
  if (const auto fields = meta::FieldSelector::parse(field_selector); !fields) {
    return fields.error().with_context("--field-selector");
  }
  return {};
}

void add_output(Command command, std::string& output, const std::vector<std::string>& formats) {
  std::string all;
  for (const auto& format : formats) all += (all.empty() ? "" : "|") + format;
  command.option("-o,--output", &output, "Output: " + all + "; default: a table").choices(formats).type_name("FORMAT");
}

Format to_format(std::string_view output) {
  if (output == "wide") return Format::Wide;
  if (output == "json") return Format::Json;
  if (output == "yaml") return Format::Yaml;
  if (output == "jsonl") return Format::JsonLines;
  if (output == "name") return Format::Name;
  return Format::Table;
}

Result<Duration> parse_duration(std::string_view text) {
  const auto whole = text;
  const auto bad = [&] {
    return Error::config(std::string("\"").append(whole) + "\" is no duration (20s, 1m30s, 500ms)");
  };
  if (text.empty()) return bad();
  double seconds = 0;
  while (!text.empty()) {
    double count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc() || count < 0) return bad();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    if (unit == "ms") {
      seconds += count / 1000;
    } else if (unit == "s" || (unit.empty() && whole.find_first_not_of("0123456789.") == std::string_view::npos)) {
      seconds += count;
    } else if (unit == "m") {
      seconds += count * 60;
    } else if (unit == "h") {
      seconds += count * 3600;
    } else {
      return bad();
    }
    text.remove_prefix(unit.size());
  }
  if (!(seconds < 1e9)) return bad();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

std::string wrong_duration(const std::string& text) {
  const auto parsed = parse_duration(text);
  return parsed ? "" : parsed.error().message();
}

}  // namespace kubexx::app
