#pragma once

#include <vector>

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"
#include "apiserver/schema/resource.hpp"
#include "apiserver/verbs/managed_fields.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

struct Applied {
  meta::Object object;  ///< the live object with the configuration merged in
  std::vector<Manager> managers;
};

/// Server-side apply: merges `config` into `live` (null: it is created), takes away what the manager applied before and
/// no longer names, and settles ownership. 409 with a cause per field when others own what changes, unless forced.
Result<Applied> apply_configuration(const Resource& resource, const meta::Object& live, const meta::Object& config,
                                    const Writer& writer, bool force);

/// The patch that is an applied configuration.
Result<Answer> serve_apply(Cluster& cluster, Call& call);

}  // namespace kubexx::apiserver
