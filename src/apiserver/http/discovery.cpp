#include "apiserver/http/discovery.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/schema/openapi.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::string_view kAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

using meta::DraftRef;

void put(DraftRef to, const std::vector<std::string>& values, bool optional = false) {
  if (optional && values.empty()) return;
  to.set_list();
  for (const std::string& value : values) to.append(value);
}

void put_response_kind(DraftRef to, std::string_view group, std::string_view version, std::string_view kind) {
  to["group"].set(group);
  to["version"].set(version);
  to["kind"].set(kind);
}

std::string group_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + '/' + std::string(version);
}

void put_group(DraftRef to, const ResourceTable::Group& group) {
  const auto put_version = [&](DraftRef entry, const std::string& version) {
    entry["groupVersion"].set(group_version(group.name, version));
    entry["version"].set(version);
  };
  to["name"].set(group.name);
  for (const std::string& version : group.versions) put_version(to["versions"].append(), version);
  put_version(to["preferredVersion"], group.versions.front());
}

void put_aggregated(DraftRef to, const Resource& resource) {
  to["resource"].set(resource.resource);
  put_response_kind(to["responseKind"], resource.custom ? resource.group : "", resource.custom ? resource.version : "",
                    resource.kind);
  to["scope"].set(resource.namespaced ? "Namespaced" : "Cluster");
  to["singularResource"].set(resource.singular);
  put(to["verbs"], resource.verbs);
  put(to["shortNames"], resource.short_names, true);
  put(to["categories"], resource.categories, true);
  for (const Subresource& sub : resource.subresources) {
    const DraftRef entry = to["subresources"].append();
    entry["subresource"].set(sub.name);
    put_response_kind(entry["responseKind"], sub.group, sub.version, sub.kind);
    put(entry["verbs"], sub.verbs);
  }
}

meta::Draft document(const char* kind, const char* api_version) {
  meta::Draft out;
  out["kind"].set(kind);
  if (api_version) out["apiVersion"].set(api_version);
  return out;
}

Answer answer(const meta::Draft& draft) {
  return json_answer(meta::to_json(draft.to_object()) + '\n');
}

bool wants_aggregated(std::string_view accept) {
  return accept.find("as=APIGroupDiscoveryList") != std::string_view::npos &&
         accept.find("v=v2;") != std::string_view::npos;
}

constexpr std::string_view kVersion = R"({
  "major": "1",
  "minor": "36",
  "emulationMajor": "1",
  "emulationMinor": "36",
  "minCompatibilityMajor": "1",
  "minCompatibilityMinor": "35",
  "gitVersion": "v1.36.4",
  "gitCommit": "kubexx",
  "gitTreeState": "clean",
  "buildDate": "1970-01-01T00:00:00Z",
  "goVersion": "none",
  "compiler": "c++",
  "platform": "linux/amd64"
})";

Answer group_list(const ResourceTable& resources) {
  meta::Draft out = document("APIGroupList", "v1");
  for (const ResourceTable::Group& group : resources.groups()) put_group(out["groups"].append(), group);
  return answer(out);
}

Answer resource_list(const ResourceTable& resources, std::string_view group, std::string_view version) {
  if (!resources.has_group_version(group, version)) return page_not_found();
  meta::Draft out = document("APIResourceList", group.empty() ? nullptr : "v1");
  out["groupVersion"].set(group_version(group, version));
  for (const auto& resource : resources.of(group, version)) {
    const DraftRef entry = out["resources"].append();
    entry["name"].set(resource->resource);
    entry["singularName"].set(resource->singular);
    entry["namespaced"].set(resource->namespaced);
    entry["kind"].set(resource->kind);
    put(entry["verbs"], resource->verbs);
    put(entry["shortNames"], resource->short_names, true);
    put(entry["categories"], resource->categories, true);
    for (const Subresource& sub : resource->subresources) {
      const DraftRef below = out["resources"].append();
      below["name"].set(resource->resource + '/' + sub.name);
      below["singularName"].set("");
      below["namespaced"].set(resource->namespaced);
      if (!sub.version.empty()) {
        below["group"].set(sub.group);
        below["version"].set(sub.version);
      }
      below["kind"].set(sub.kind);
      put(below["verbs"], sub.verbs);
    }
  }
  return answer(out);
}

Answer aggregated_discovery(const ResourceTable& resources, bool core_group) {
  std::vector<ResourceTable::Group> groups = resources.groups();
  if (core_group) groups = {{"", {"v1"}}};
  meta::Draft out = document("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2");
  out["metadata"].set_map();
  for (const ResourceTable::Group& group : groups) {
    const DraftRef item = out["items"].append();
    item["metadata"].set_map();
    if (!group.name.empty()) item["metadata"]["name"].set(group.name);
    for (const std::string& version : group.versions) {
      const DraftRef entry = item["versions"].append();
      entry["version"].set(version);
      for (const auto& resource : resources.of(group.name, version))
        put_aggregated(entry["resources"].append(), *resource);
      entry["freshness"].set("Current");
    }
  }
  Answer found = answer(out);
  found.raw_type = kAggregated;
  found.headers = {{"Cache-Control", "public"},
                   {"Etag", '"' + std::to_string(std::hash<std::string>()(found.raw)) + '"'},
                   {"Vary", "Accept"}};
  return found;
}

}  // namespace

Result<Answer> serve_discovery(const ResourceTable& resources, const Call& call) {
  const std::string& path = call.route.path;
  const std::string_view method = call.request.method;
  if (method != "GET" && method != "HEAD")
    return path.starts_with("/api") ? Result<Answer>(method_not_allowed()) : Result<Answer>(page_not_found());
  for (const std::string_view probe : {"/healthz", "/livez", "/readyz"}) {
    if (path != probe && !path.starts_with(std::string(probe) + '/')) continue;
    if (!call.route.query.has("verbose")) return text_answer(200, "ok");
    return text_answer(200, "[+]ping ok\n[+]log ok\n[+]etcd ok\n" + std::string(probe.substr(1)) + " check passed\n");
  }
  if (path == "/version" || path == "/version/") {
    return json_answer(std::string(kVersion));
  }
  if (path == "/openapi/v2") {
    Answer out;
    out.raw = openapi_v2(resources.all());
    out.raw_type = kOpenapiProtobuf;
    return out;
  }
  const std::string_view accept = call.request.header("accept");
  std::string_view trimmed = path;
  while (trimmed.size() > 1 && trimmed.back() == '/') trimmed.remove_suffix(1);
  if (trimmed == "/api") {
    if (wants_aggregated(accept)) return aggregated_discovery(resources, true);
    meta::Draft out = document("APIVersions", nullptr);
    out["versions"].append("v1");
    const DraftRef address = out["serverAddressByClientCIDRs"].append();
    address["clientCIDR"].set("0.0.0.0/0");
    address["serverAddress"].set(call.request.header("host"));
    return answer(out);
  }
  if (trimmed == "/apis")
    return wants_aggregated(accept) ? aggregated_discovery(resources, false) : group_list(resources);
  if (trimmed == "/api/v1") return resource_list(resources, "", "v1");
  if (trimmed.starts_with("/apis/")) {
    const std::string_view rest = trimmed.substr(6);
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos) return resource_list(resources, rest.substr(0, slash), rest.substr(slash + 1));
    for (const ResourceTable::Group& group : resources.groups()) {
      if (group.name != rest) continue;
      meta::Draft out = document("APIGroup", "v1");
      put_group(out.root(), group);
      return answer(out);
    }
  }
  if (trimmed == "/") {
    meta::Draft out;
    const DraftRef paths = out["paths"];
    for (const char* known : {"/api", "/api/v1", "/apis"}) paths.append(known);
    for (const ResourceTable::Group& group : resources.groups()) {
      paths.append("/apis/" + group.name);
      for (const std::string& version : group.versions) paths.append("/apis/" + group.name + '/' + version);
    }
    for (const char* known : {"/healthz", "/livez", "/readyz", "/version"}) paths.append(known);
    return answer(out);
  }
  return page_not_found();
}

}  // namespace kubexx::apiserver
