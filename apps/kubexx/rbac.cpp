#include <algorithm>
#include <memory>

#include "access_rules.hpp"
#include "command.hpp"
#include "kubexx/base/version.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/validation.hpp"

namespace kubexx::app {
namespace {

struct Flags {
  std::vector<std::string> resources;
  std::vector<std::string> namespaces;
  std::string inspector;
  std::string name = "informers";
  std::string account;
};

/// Addresses are printed with the token: "http://127.0.0.1:40000/?token=...".
struct Inspector {
  std::string host;
  std::string token;
};

Result<Inspector> parse_inspector(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  constexpr std::string_view kToken = "token=";
  if (!url.starts_with(kScheme))
    return Error::config("--inspector wants the address that the program prints: http://...");
  Inspector found;
  const auto end = std::min(url.find_first_of("/?#", kScheme.size()), url.size());
  found.host = std::string(url.substr(0, end));
  if (const auto at = url.find(kToken, end); at != std::string_view::npos) {
    const auto value = url.substr(at + kToken.size());
    found.token = std::string(value.substr(0, value.find_first_of("&#")));
  }
  return found;
}

/// What the informers of a running program list and watch.
Result<std::vector<AccessNeed>> ask(const std::string& url) {
  const auto inspector = parse_inspector(url);
  if (!inspector) return inspector.error();
  rest::Config config;
  config.host = inspector->host;
  config.proxy_url = "none";
  config.user_agent = "kubexx/" KUBEXX_VERSION;
  const auto client = rest::Client::create(std::move(config));
  if (!client) return client.error();
  rest::Request request;
  request.absolute_path = "/api/informers";
  if (!inspector->token.empty()) request.headers.set("Authorization", "Bearer " + inspector->token);
  auto call = until_signal();
  call.timeout = std::chrono::seconds(10);
  const auto answer = client->send(request, call);
  if (!answer) return answer.error().with_context("the inspector at " + inspector->host);
  const auto page = meta::parse_json(answer->body);
  if (!page) return page.error().with_context("the inspector at " + inspector->host);
  std::vector<AccessNeed> needs;
  for (const auto each : (*page)["informers"].items()) {
    AccessNeed need;
    const auto api = each["api"].string();
    need.group = std::string(api.substr(0, api.find('/') == std::string_view::npos ? 0 : api.find('/')));
    need.resource = std::string(each["resource"].string());
    need.verbs = {"list", "watch"};
    for (const auto name : each["namespaces"].items()) need.namespaces.emplace_back(name.string());
    if (!need.resource.empty() && !api.empty()) needs.push_back(std::move(need));
  }
  return needs;
}

int rbac(const Flags& flags) {
  if (flags.resources.empty() && flags.inspector.empty()) {
    return misuse("rbac: which resources? Name some, or a running program's --inspector");
  }
  RoleNames names;
  names.role = flags.name;
  if (const auto wrong = meta::check_path_segment(flags.name); flags.name.empty() || !wrong.empty()) {
    return misuse("--name: " + (flags.name.empty() ? "is empty" : meta::join_complaints(wrong)));
  }
  if (!flags.account.empty()) {
    const auto slash = flags.account.find('/');
    names.account_namespace = flags.account.substr(0, slash);
    names.account = slash == std::string::npos ? std::string() : flags.account.substr(slash + 1);
    if (!meta::check_dns1123_label(names.account_namespace).empty() ||
        !meta::check_dns1123_subdomain(names.account).empty()) {
      return misuse("--service-account: \"" + flags.account + "\" is not NAMESPACE/NAME");
    }
  }
  for (const auto& namespace_ : flags.namespaces) {
    if (!meta::check_dns1123_label(namespace_).empty()) return misuse("--namespace: \"" + namespace_ + "\" is none");
  }
  std::vector<AccessNeed> needs;
  for (const auto& text : flags.resources) {
    auto need = parse_need(text, flags.namespaces);
    if (!need) return misuse("rbac: " + need.error().message());
    needs.push_back(std::move(*need));
  }
  if (!flags.inspector.empty()) {
    const auto asked = ask(flags.inspector);
    if (!asked) return fail(asked.error());
    needs.insert(needs.end(), asked->begin(), asked->end());
    if (needs.empty()) return fail(Error::config("the program has no informers yet"));
  }
  out().write(roles_yaml(std::move(needs), names));
  return 0;
}

}  // namespace

void add_rbac(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("rbac", "The least rules that let a program's informers list and watch");
  command.footer(
      "Examples:\n"
      "  kubexx rbac pods deployments.apps                           a ClusterRole for two informers\n"
      "  kubexx rbac pods -n shop -n billing                         a Role in each of two namespaces\n"
      "  kubexx rbac nodes pods/log:get --service-account ops/agent  other verbs, and bound to an account\n"
      "  kubexx rbac --inspector http://127.0.0.1:40000/?token=...   what a running program's informers need");
  command.option("RESOURCE", &flags->resources, "Resources, like pods, foos.example.com, events:create,patch");
  command.option("-n,--namespace", &flags->namespaces, "Namespaces in which; may be repeated. Default: all")
      .delimiter(',');
  command.option("--inspector", &flags->inspector, "Address of a running program's inspector, with its token");
  command.option("--name", &flags->name, "Name of the roles and bindings").show_default();
  command.option("--service-account", &flags->account, "NAMESPACE/NAME to bind them to; default: no bindings");
  command.on_run([flags] { return rbac(*flags); });
}

}  // namespace kubexx::app
