#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"
#include "apiserver/verbs/managed_fields.hpp"

namespace kubexx::apiserver {

Result<Answer> serve_create(Cluster& cluster, Call& call);
Result<Answer> serve_update(Cluster& cluster, Call& call);

/// Content that a client sent: what its type makes of it, with warnings or, if strict, a 400 for unknown fields.
Result<meta::Object> accept(Call& call, meta::Value content);
/// 400 when the object says that it is something else than what the request is about.
Result<void> check_identity(const Call& call, const meta::Object& object);
Writer writer_of(const Environment& environment, const Call& call);

/// `managers`: ownership already decided (apply); otherwise it follows from the change.
Result<Answer> create_object(Cluster& cluster, Call& call, const meta::Object& accepted,
                             std::optional<std::vector<Manager>> managers);
Result<Answer> replace_object(Cluster& cluster, Call& call, const meta::Object& old, const meta::Object& accepted,
                              std::optional<std::vector<Manager>> managers);
/// Puts it into the storage and does what follows from that.
meta::Object store(Cluster& cluster, const Resource& resource, const std::string& key, const meta::Object& object);

}  // namespace kubexx::apiserver
