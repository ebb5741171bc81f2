#pragma once

#include <string_view>
#include <vector>

#include "apiserver/cluster.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::apiserver {

// What tests do to the state, past requests (see Core).
Result<meta::Object> seed_object(Cluster& cluster, const meta::Object& object, bool must_exist);
Result<meta::Object> find_object(const Cluster& cluster, const meta::GroupVersionResource& gvr,
                                 const meta::ObjectKey& key);
std::vector<meta::Object> all_objects(const Cluster& cluster, const meta::GroupVersionResource& gvr,
                                      std::string_view namespace_);
Result<meta::Object> remove_object(Cluster& cluster, const meta::GroupVersionResource& gvr, const meta::ObjectKey& key);

}  // namespace kubexx::apiserver
