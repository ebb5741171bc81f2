#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/storage/storage.hpp"
#include "codec/internal/schema.hpp"
#include "kubexx/meta/gvk.hpp"

namespace kubexx::apiserver {

struct CustomVersion;  // crd.hpp

struct Subresource {
  std::string name;
  std::string group;
  std::string version;
  std::string kind;
  std::vector<std::string> verbs;
};

/// One served version of a resource.
struct Resource {
  std::uint32_t id = 0;  ///< never reused: part of the key of cached encodings
  std::string group;
  std::string version;
  std::string kind;
  std::string list_kind;
  std::string resource;  ///< plural
  std::string singular;
  bool namespaced = true;
  bool has_status = false;  ///< a status subresource: the main one leaves the status alone
  bool has_generation = false;
  std::vector<std::string> verbs;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<Subresource> subresources;
  const codec::TypeInfo* type = nullptr;        ///< of a built-in kind; null: also of versions too old for it
  std::shared_ptr<const CustomVersion> custom;  ///< of a custom one
  std::shared_ptr<Bucket> bucket;               ///< shared by the versions; null: nothing is stored (reviews, bindings)

  bool allows(std::string_view verb) const noexcept;
  const Subresource* subresource(std::string_view name) const noexcept;
  std::string api_version() const { return group.empty() ? version : group + '/' + version; }
};

/// The resources that are served now. Built-in ones stay, custom ones come and go.
class ResourceTable {
 public:
  ResourceTable(Storage& storage, bool all_versions);

  std::shared_ptr<const Resource> find(std::string_view group, std::string_view version,
                                       std::string_view resource) const;
  std::shared_ptr<const Resource> find_kind(std::string_view api_version, std::string_view kind) const;
  /// The version that a bucket's objects are handled as when no request names one.
  std::shared_ptr<const Resource> of_bucket(const Bucket& bucket) const;
  bool has_group_version(std::string_view group, std::string_view version) const;
  /// In the order of discovery: built-in groups as a real server lists them, then custom ones by name.
  struct Group {
    std::string name;
    std::vector<std::string> versions;  ///< preferred first
  };
  std::vector<Group> groups() const;  ///< without the core group
  std::vector<std::shared_ptr<const Resource>> of(std::string_view group, std::string_view version) const;
  const std::vector<std::shared_ptr<const Resource>>& all() const noexcept { return resources_; }

  void add(std::shared_ptr<Resource> resource);
  void remove_custom(std::string_view group, std::string_view resource);

 private:
  std::vector<std::shared_ptr<const Resource>> resources_;
  std::map<std::string, std::shared_ptr<const Resource>, std::less<>> by_path_;  // "group/version/resource"
  std::map<std::string, std::shared_ptr<const Resource>, std::less<>> by_kind_;  // "apiVersion|kind"
  std::uint32_t next_id_ = 1;
};

}  // namespace kubexx::apiserver
