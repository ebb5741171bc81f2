#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {

Result<Answer> serve_delete(Cluster& cluster, Call& call);
Result<Answer> serve_delete_collection(Cluster& cluster, Call& call);

struct DeleteOptions {
  std::optional<std::int64_t> grace;
  std::string uid;
  std::string resource_version;
  std::string propagation;
  bool dry_run = false;
};
struct Deletion {
  bool gone = false;
  meta::Object object;  ///< the last state
};
Result<Deletion> delete_object(Cluster& cluster, const Resource& resource, const std::string& key,
                               const DeleteOptions& options);
/// Takes it out of the storage and does what follows from that.
meta::Object remove_now(Cluster& cluster, const Resource& resource, const std::string& key);

bool has_finalizer(const meta::Object& object, std::string_view name);
void drop_finalizer(meta::Draft& draft, std::string_view name);

}  // namespace kubexx::apiserver
