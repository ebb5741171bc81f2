#include "apiserver/verbs/patch.hpp"

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/http/view.hpp"
#include "apiserver/verbs/apply.hpp"
#include "apiserver/verbs/strategic.hpp"
#include "apiserver/verbs/writes.hpp"

namespace kubexx::apiserver {
namespace {

Error unknown_patch(bool strategic) {
  std::string types = "application/json-patch+json, application/merge-patch+json, ";
  if (strategic) types += "application/strategic-merge-patch+json, ";
  return Error::api(415, "UnsupportedMediaType",
                    "the body of the request was in an unknown format - accepted media types include: " + types +
                        "application/apply-patch+yaml");
}

}  // namespace

Result<Answer> serve_patch(Cluster& cluster, Call& call) {
  const Resource& resource = *call.resource;
  std::string_view type = call.request.header("content-type");
  type = type.substr(0, type.find(';'));
  if (type.starts_with("application/apply-patch+")) return serve_apply(cluster, call);
  const bool json_patch = type == "application/json-patch+json";
  const bool merge = type == "application/merge-patch+json";
  const bool strategic = type == "application/strategic-merge-patch+json" && resource.type;
  if (!json_patch && !merge && !strategic) return unknown_patch(resource.type != nullptr);

  auto patch = decode_body(Format::Json, call.request.body);
  if (!patch) return bad_request("error decoding patch: " + patch.error().message());
  if (json_patch ? !patch->root().is_list() : !patch->root().is_map())
    return bad_request("error decoding patch: json: cannot unmarshal the patch");
  const auto it = resource.bucket->objects.find(storage_key(call.route.namespace_, call.route.name));
  if (it == resource.bucket->objects.end()) return not_found(resource.group, resource.resource, call.route.name);
  const meta::Object old = it->second;
  const meta::Object shown = as_version(old, resource);
  auto patched = json_patch ? meta::apply_json_patch(shown.root(), patch->root())
                 : merge    ? meta::apply_merge_patch(shown.root(), patch->root())
                            : apply_strategic_patch(*resource.type, shown.root(), patch->root());
  if (!patched) return rejected_patch();
  if (auto fine = check_identity(call, *patched); !fine) return fine.error();
  if (patched->name() != old.name()) {
    return bad_request("the name of the object (" + std::string(patched->name()) +
                       ") does not match the name on the URL (" + call.route.name + ")");
  }
  auto accepted = accept(call, patched->root());
  if (!accepted) return accepted.error();
  return replace_object(cluster, call, old, *accepted, std::nullopt);
}

}  // namespace kubexx::apiserver
