#include "access_rules.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "kubexx/codec/resources.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/validation.hpp"
#include "kubexx/meta/yaml.hpp"

namespace kubexx::app {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kVersion = "rbac.authorization.k8s.io/v1";
constexpr std::array<std::string_view, 8> kVerbs = {"get",    "list",  "watch",  "create",
                                                    "update", "patch", "delete", "deletecollection"};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<std::vector<std::string>> parse_verbs(std::string_view text) {
  auto verbs = split(text, ',');
  for (const auto& verb : verbs) {
    if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) {
      return Error::config("\"" + verb + "\" is no verb (get, list, watch, create, update, patch, delete)");
    }
  }
  return verbs;
}

/// By its plural, singular or short name; of several groups the one that Kubernetes names first.
const codec::BuiltinResource* find_builtin(std::string_view name, std::string_view group, bool any_group) {
  for (const auto& each : codec::builtin_resources()) {
    if (!each.served || (!any_group && each.info.group != group)) continue;
    const auto& shorts = each.short_names;
    const bool called = each.info.resource == name || each.info.singular == name;
    if (called || std::find(shorts.begin(), shorts.end(), name) != shorts.end()) return &each;
  }
  return nullptr;
}

/// Group, resources and verbs: one rule for resources that are used alike.
using Rules = std::map<std::pair<std::string, std::set<std::string>>, std::set<std::string>>;

Rules rules_of(const std::vector<AccessNeed>& needs) {
  // Asked for twice: every verb of both.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> verbs;
  for (const auto& need : needs) verbs[{need.group, need.resource}].insert(need.verbs.begin(), need.verbs.end());
  Rules rules;
  for (const auto& [resource, used] : verbs) rules[{resource.first, used}].insert(resource.second);
  return rules;
}

void append_all(meta::DraftRef list, const std::set<std::string>& texts) {
  for (const auto& text : texts) list.append(text);
}

/// In the order in which people say them.
void append_verbs(meta::DraftRef list, const std::set<std::string>& verbs) {
  for (const auto verb : kVerbs) {
    if (verbs.contains(std::string(verb))) list.append(verb);
  }
}

meta::Draft document(std::string_view kind, const std::string& name, const std::string& namespace_) {
  meta::Draft made;
  made["apiVersion"].set(kVersion);
  made["kind"].set(kind);
  made["metadata"]["name"].set(name);
  if (!namespace_.empty()) made["metadata"]["namespace"].set(namespace_);
  return made;
}

std::string role_yaml(const std::vector<AccessNeed>& needs, const RoleNames& names, const std::string& namespace_) {
  const auto draft = document(namespace_.empty() ? "ClusterRole" : "Role", names.role, namespace_);
  for (const auto& [used, resources] : rules_of(needs)) {
    const auto rule = draft["rules"].append();
    rule["apiGroups"].append(used.first);
    append_all(rule["resources"], resources);
    append_verbs(rule["verbs"], used.second);
  }
  return meta::to_yaml(draft.to_object());
}

std::string binding_yaml(const RoleNames& names, const std::string& namespace_) {
  const auto draft = document(namespace_.empty() ? "ClusterRoleBinding" : "RoleBinding", names.role, namespace_);
  draft["roleRef"]["apiGroup"].set(kRbac);
  draft["roleRef"]["kind"].set(namespace_.empty() ? "ClusterRole" : "Role");
  draft["roleRef"]["name"].set(names.role);
  const auto subject = draft["subjects"].append();
  subject["kind"].set("ServiceAccount");
  subject["name"].set(names.account);
  subject["namespace"].set(names.account_namespace);
  return meta::to_yaml(draft.to_object());
}

}  // namespace

Result<AccessNeed> parse_need(std::string_view text, const std::vector<std::string>& namespaces) {
  AccessNeed need;
  const auto colon = text.find(':');
  need.verbs = {"list", "watch"};
  if (colon != std::string_view::npos) {
    auto verbs = parse_verbs(text.substr(colon + 1));
    if (!verbs) return verbs.error().with_context(std::string(text));
    need.verbs = std::move(*verbs);
    text = text.substr(0, colon);
  }
  const auto slash = std::min(text.find('/'), text.size());
  const auto named = text.substr(0, slash);
  const auto dot = std::min(named.find('.'), named.size());
  const auto name = named.substr(0, dot);
  need.group = std::string(named.substr(std::min(dot + 1, named.size())));
  if (!meta::check_dns1123_label(name).empty() ||
      (!need.group.empty() && !meta::check_dns1123_subdomain(need.group).empty())) {
    return Error::config(std::string("\"").append(text) + "\" is no resource (pods, deployments.apps, pods/log:get)");
  }
  const auto* known = find_builtin(name, need.group, dot == named.size());
  if (!known && need.group.empty()) {
    return Error::config("Kubernetes has no resource \"" + std::string(name) +
                         "\"; a custom one is named with its group: " + std::string(name) + ".example.com");
  }
  if (known) need.group = known->info.group;
  need.resource = std::string(known ? known->info.resource : name) + std::string(text.substr(slash));
  if (!known || known->info.namespaced) need.namespaces = namespaces;
  return need;
}

std::string roles_yaml(std::vector<AccessNeed> needs, const RoleNames& names) {
  std::map<std::string, std::vector<AccessNeed>> places;  // by namespace; "" is the whole cluster
  for (auto& need : needs) {
    if (need.namespaces.empty()) {
      places[""].push_back(std::move(need));
      continue;
    }
    for (const auto& namespace_ : need.namespaces) places[namespace_].push_back(need);
  }
  std::string text;
  const auto add = [&](const std::string& document) { text += (text.empty() ? "" : "---\n") + document; };
  for (const auto& [namespace_, all] : places) {
    add(role_yaml(all, names, namespace_));
    if (!names.account.empty()) add(binding_yaml(names, namespace_));
  }
  return text;
}

}  // namespace kubexx::app
