#pragma once

#include <string>

#include "apiserver/cluster.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// Serves what an established definition of custom resources says, and establishes a new one later.
void definition_changed(Cluster& cluster, const meta::Object& definition);
/// It is gone, and its objects with it.
void definition_removed(Cluster& cluster, const meta::Object& definition);
/// Deletes the objects of a definition that is being deleted, and then the definition.
void clean_up_definition(Cluster& cluster, const std::string& name);
/// Serves exactly the definitions that are stored.
void load_definitions(Cluster& cluster);

}  // namespace kubexx::apiserver
