#pragma once

#include "apiserver/cluster.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {

/// What admission adds to a new object beyond its defaults.
void admit_create(Cluster& cluster, const Resource& resource, meta::Draft& draft);
/// Fields that an update without them keeps (a service's address).
void keep_on_update(const Resource& resource, const meta::Object& old, meta::Draft& draft);

}  // namespace kubexx::apiserver
