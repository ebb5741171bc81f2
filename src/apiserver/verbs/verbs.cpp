#include "apiserver/verbs/verbs.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/verbs/deletes.hpp"
#include "apiserver/verbs/patch.hpp"
#include "apiserver/verbs/reads.hpp"
#include "apiserver/verbs/subresources.hpp"
#include "apiserver/verbs/writes.hpp"

namespace kubexx::apiserver {
namespace {

struct Verb {
  std::string_view name;
  Result<Answer> (*serve)(Cluster& cluster, Call& call);
};

constexpr Verb kVerbs[] = {{"get", serve_get},
                           {"list", serve_list},
                           {"create", serve_create},
                           {"update", serve_update},
                           {"patch", serve_patch},
                           {"delete", serve_delete},
                           {"deletecollection", serve_delete_collection}};

}  // namespace

Result<Answer> serve_verb(Cluster& cluster, Call& call) {
  const Route& route = call.route;
  if (route.verb == "watch") return serve_watch(cluster, call);
  if (!route.subresource.empty() && route.subresource != "status") return serve_subresource(cluster, call);
  if (!call.resource->bucket) return serve_review(cluster, call);
  for (const Verb& verb : kVerbs) {
    if (verb.name == route.verb) return verb.serve(cluster, call);
  }
  return method_not_allowed();
}

}  // namespace kubexx::apiserver
