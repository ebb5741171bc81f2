#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/resource.hpp"
#include "apiserver/verbs/field_set.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// One entry of metadata.managedFields.
struct Manager {
  std::string manager;
  std::string operation;  ///< "Update" or "Apply"
  std::string api_version;
  std::string time;
  std::string subresource;
  FieldSet fields;

  bool same_as(const Manager& other) const {
    return manager == other.manager && operation == other.operation && subresource == other.subresource &&
           (operation == "Apply" || api_version == other.api_version);
  }
};

std::vector<Manager> managers_of(const meta::Object& object);
void write_managers(std::vector<Manager> managers, meta::Draft& draft);

/// The schema of a resource's objects for ownership questions.
TypeNode type_node(const Resource& resource);
/// An empty object of the resource as a server would write it: what a creation is compared with.
meta::Object empty_object(const Resource& resource);

/// Who writes: what goes into an entry besides the fields.
struct Writer {
  std::string manager;
  std::string time;
  std::string subresource;
};

/// Ownership after an update from `before` (empty_object for a creation) to `after`; `managers` are those of the live
/// object.
std::vector<Manager> after_update(const Resource& resource, std::vector<Manager> managers, const meta::Object& before,
                                  const meta::Object& after, const Writer& writer);

/// Fields of metadata and type that nobody owns.
void strip_system_fields(FieldSet& fields);
/// The same, and those that a write to this subresource ("" is the main one) leaves alone.
void strip_foreign_fields(const Resource& resource, std::string_view subresource, FieldSet& fields);

}  // namespace kubexx::apiserver
