#include "kubexx/client/discovery.hpp"

#include <algorithm>

#include "kubexx/meta/json.hpp"

namespace kubexx::client {
namespace {

constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

std::vector<std::string> texts(meta::Value list) {
  std::vector<std::string> out;
  for (const auto item : list.items()) out.emplace_back(item.string());
  return out;
}

Result<meta::Object> get(const rest::Client& client, const std::string& path, const char* accept,
                         const rest::CallOptions& options) {
  rest::Request request;
  request.absolute_path = path;
  request.accept = accept;
  auto answer = client.send(request, options);
  if (!answer) return answer.error();
  return answer->object().context("discovery of " + path);
}

void read_aggregated(const meta::Object& list, Discovery& out) {
  for (const auto group : list["items"].items()) {
    const std::string name(group["metadata"]["name"].string());
    for (const auto version : group["versions"].items()) {
      const meta::GroupVersion gv{name, std::string(version["version"].string())};
      if (version["freshness"].string() == "Stale") {
        out.failures.emplace_back(gv, Error::api(503, "ServiceUnavailable", "stale discovery of " + gv.to_string()));
      }
      for (const auto item : version["resources"].items()) {
        ApiResource resource;
        resource.resource = {gv.group, gv.version, std::string(item["resource"].string())};
        resource.kind = std::string(item["responseKind"]["kind"].string());
        resource.singular = std::string(item["singularResource"].string());
        resource.namespaced = item["scope"].string() == "Namespaced";
        resource.verbs = texts(item["verbs"]);
        resource.short_names = texts(item["shortNames"]);
        resource.categories = texts(item["categories"]);
        for (const auto sub : item["subresources"].items()) {
          resource.subresources.emplace_back(sub["subresource"].string());
        }
        out.resources.push_back(std::move(resource));
      }
    }
  }
}

/// One APIResourceList; its subresources ("pods/log") go to their resource.
void read_resource_list(const meta::Object& list, const meta::GroupVersion& gv, Discovery& out) {
  const auto first = out.resources.size();
  for (const auto item : list["resources"].items()) {
    const auto name = item["name"].string();
    const auto slash = name.find('/');
    if (slash != std::string_view::npos) {
      for (auto i = first; i < out.resources.size(); ++i) {
        if (out.resources[i].resource.resource != name.substr(0, slash)) continue;
        out.resources[i].subresources.emplace_back(name.substr(slash + 1));
      }
      continue;
    }
    ApiResource resource;
    resource.resource = {gv.group, gv.version, std::string(name)};
    resource.kind = std::string(item["kind"].string());
    resource.singular = std::string(item["singularName"].string());
    resource.namespaced = item["namespaced"].bool_or(false);
    resource.verbs = texts(item["verbs"]);
    resource.short_names = texts(item["shortNames"]);
    resource.categories = texts(item["categories"]);
    out.resources.push_back(std::move(resource));
  }
}

/// A version that cannot be read is one of the failures; only a stop ends the whole.
Result<void> read_version(const rest::Client& client, const meta::GroupVersion& gv, const rest::CallOptions& options,
                          Discovery& out) {
  const auto path = gv.group.empty() ? "/api/" + gv.version : "/apis/" + gv.group + "/" + gv.version;
  auto list = get(client, path, "application/json", options);
  if (!list && list.error().is_canceled()) return list.error();
  if (list) {
    read_resource_list(*list, gv, out);
  } else {
    out.failures.emplace_back(gv, list.error());
  }
  return {};
}

bool is_aggregated(const meta::Object& answer) {
  return answer.kind() == "APIGroupDiscoveryList";
}

}  // namespace

bool ApiResource::can(std::string_view verb) const noexcept {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

Result<Discovery> discover(const rest::Client& client, const rest::CallOptions& options) {
  Discovery out;
  auto core = get(client, "/api", kAggregated, options);
  if (!core && !core.error().is_not_found()) return core.error();
  if (core && is_aggregated(*core)) {
    read_aggregated(*core, out);
  } else if (core) {
    for (const auto version : (*core)["versions"].items()) {
      auto read = read_version(client, {"", std::string(version.string())}, options, out);
      if (!read) return read.error();
    }
  }
  auto groups = get(client, "/apis", kAggregated, options);
  if (!groups) {
    if (groups.error().is_not_found()) return out;
    return groups.error();
  }
  if (is_aggregated(*groups)) {
    read_aggregated(*groups, out);
    return out;
  }
  for (const auto group : (*groups)["groups"].items()) {
    const std::string name(group["name"].string());
    const std::string preferred(group["preferredVersion"]["version"].string());
    std::vector<std::string> versions;
    if (!preferred.empty()) versions.push_back(preferred);
    for (const auto version : group["versions"].items()) {
      if (version["version"].string() != preferred) versions.emplace_back(version["version"].string());
    }
    for (const auto& version : versions) {
      auto read = read_version(client, {name, version}, options, out);
      if (!read) return read.error();
    }
  }
  return out;
}

Result<ServerVersion> server_version(const rest::Client& client, const rest::CallOptions& options) {
  auto answer = get(client, "/version", "application/json", options);
  if (!answer) return answer.error();
  const auto text = [&](const char* key) { return std::string((*answer)[key].string()); };
  return ServerVersion{text("major"), text("minor"), text("gitVersion")};
}

}  // namespace kubexx::client
