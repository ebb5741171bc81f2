#include "apiserver/http/discovery.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/schema/openapi.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::string_view kAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

void field(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += key;
  out += "\":";
  meta::append_json_string(out, value);
}

void field(std::string& out, std::string_view key, const std::vector<std::string>& values, bool optional) {
  if (optional && values.empty()) return;
  if (out.back() != '{') out += ',';
  out += '"';
  out += key;
  out += "\":[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i) out += ',';
    meta::append_json_string(out, values[i]);
  }
  out += ']';
}

void response_kind(std::string& out, std::string_view group, std::string_view version, std::string_view kind) {
  out += ",\"responseKind\":{";
  field(out, "group", group);
  field(out, "version", version);
  field(out, "kind", kind);
  out += '}';
}

std::string group_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + '/' + std::string(version);
}

void version_entry(std::string& out, std::string_view group, std::string_view version) {
  out += '{';
  field(out, "groupVersion", group_version(group, version));
  field(out, "version", version);
  out += '}';
}

void group_entry(std::string& out, const ResourceTable::Group& group) {
  field(out, "name", group.name);
  out += ",\"versions\":[";
  for (std::size_t i = 0; i < group.versions.size(); ++i) {
    if (i) out += ',';
    version_entry(out, group.name, group.versions[i]);
  }
  out += "],\"preferredVersion\":";
  version_entry(out, group.name, group.versions.front());
}

void aggregated_resource(std::string& out, const Resource& resource) {
  out += '{';
  field(out, "resource", resource.resource);
  response_kind(out, resource.custom ? resource.group : "", resource.custom ? resource.version : "", resource.kind);
  field(out, "scope", resource.namespaced ? "Namespaced" : "Cluster");
  field(out, "singularResource", resource.singular);
  field(out, "verbs", resource.verbs, false);
  field(out, "shortNames", resource.short_names, true);
  field(out, "categories", resource.categories, true);
  if (!resource.subresources.empty()) {
    out += ",\"subresources\":[";
    bool first = true;
    for (const Subresource& sub : resource.subresources) {
      if (!first) out += ',';
      first = false;
      out += '{';
      field(out, "subresource", sub.name);
      response_kind(out, sub.group, sub.version, sub.kind);
      field(out, "verbs", sub.verbs, false);
      out += '}';
    }
    out += ']';
  }
  out += '}';
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
  std::string out = "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[";
  bool first = true;
  for (const ResourceTable::Group& group : resources.groups()) {
    if (!first) out += ',';
    first = false;
    out += '{';
    group_entry(out, group);
    out += '}';
  }
  return json_answer(out + "]}\n");
}

Answer resource_list(const ResourceTable& resources, std::string_view group, std::string_view version) {
  if (!resources.has_group_version(group, version)) return page_not_found();
  std::string out = "{\"kind\":\"APIResourceList\"";
  if (!group.empty()) field(out, "apiVersion", "v1");
  field(out, "groupVersion", group_version(group, version));
  out += ",\"resources\":[";
  bool first = true;
  for (const auto& resource : resources.of(group, version)) {
    if (!first) out += ',';
    first = false;
    out += '{';
    field(out, "name", resource->resource);
    field(out, "singularName", resource->singular);
    out += resource->namespaced ? ",\"namespaced\":true" : ",\"namespaced\":false";
    field(out, "kind", resource->kind);
    field(out, "verbs", resource->verbs, false);
    field(out, "shortNames", resource->short_names, true);
    field(out, "categories", resource->categories, true);
    out += '}';
    for (const Subresource& sub : resource->subresources) {
      out += ",{";
      field(out, "name", resource->resource + '/' + sub.name);
      field(out, "singularName", "");
      out += resource->namespaced ? ",\"namespaced\":true" : ",\"namespaced\":false";
      if (!sub.version.empty()) {
        field(out, "group", sub.group);
        field(out, "version", sub.version);
      }
      field(out, "kind", sub.kind);
      field(out, "verbs", sub.verbs, false);
      out += '}';
    }
  }
  return json_answer(out + "]}\n");
}

Answer aggregated_discovery(const ResourceTable& resources, bool core_group) {
  std::vector<ResourceTable::Group> groups = resources.groups();
  if (core_group) groups = {{"", {"v1"}}};
  std::string out =
      "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"metadata\":{},\"items\":[";
  bool first_group = true;
  for (const ResourceTable::Group& group : groups) {
    if (!first_group) out += ',';
    first_group = false;
    out += "{\"metadata\":{";
    if (!group.name.empty()) field(out, "name", group.name);
    out += "},\"versions\":[";
    bool first_version = true;
    for (const std::string& version : group.versions) {
      if (!first_version) out += ',';
      first_version = false;
      out += '{';
      field(out, "version", version);
      out += ",\"resources\":[";
      bool first = true;
      for (const auto& resource : resources.of(group.name, version)) {
        if (!first) out += ',';
        first = false;
        aggregated_resource(out, *resource);
      }
      out += "],\"freshness\":\"Current\"}";
    }
    out += "]}";
  }
  out += "]}";
  const std::size_t hash = std::hash<std::string>()(out);
  Answer answer = json_answer(std::move(out) + '\n');
  answer.raw_type = kAggregated;
  answer.headers = {{"Cache-Control", "public"}, {"Etag", '"' + std::to_string(hash) + '"'}, {"Vary", "Accept"}};
  return answer;
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
    std::string host(call.request.header("host"));
    return json_answer(
        "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
        "\"serverAddress\":" +
        in_quotes(host) + "}]}\n");
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
      std::string out = "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"";
      group_entry(out, group);
      return json_answer(out + "}\n");
    }
  }
  if (trimmed == "/") {
    std::string out = "{\"paths\":[\"/api\",\"/api/v1\",\"/apis\"";
    for (const ResourceTable::Group& group : resources.groups()) {
      out += ",\"/apis/" + group.name + '"';
      for (const std::string& version : group.versions) out += ",\"/apis/" + group.name + '/' + version + '"';
    }
    return json_answer(out + ",\"/healthz\",\"/livez\",\"/readyz\",\"/version\"]}\n");
  }
  return page_not_found();
}

}  // namespace kubexx::apiserver
