#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::gen {

enum class FieldShape { One, List, Map, ListOfLists, MapOfLists };
enum class FieldKind { Text, Int32, Int64, Bool, Double, IntOrString, Any, View };

/// A named value of a field: an enum's or the default.
struct Constant {
  std::string name;   // "kPhaseRunning"
  std::string type;   // "std::string_view"
  std::string value;  // C++ expression
};

struct FieldModel {
  std::string json;
  std::string name;  // of the accessor
  FieldShape shape = FieldShape::One;
  FieldKind kind = FieldKind::Text;
  std::string view;  // of kind View: the class, qualified when it stands in another package
  std::vector<Constant> constants;
  std::string description;
};

/// What makes a type an object of the API.
struct ResourceModel {
  std::string resource;
  std::string singular;
  std::string accessor;  // "pods"
  bool namespaced = true;
  bool informer = true;
  bool readable = true;                // it can be listed and read
  std::set<std::string> subresources;  // "status", "scale", ...
};

struct TypeModel {
  std::string name;  // of the class
  std::vector<FieldModel> fields;
  std::string api_version;  // empty: a view
  std::string kind;
  bool nested = false;  // an object that also stands inside others: it has a view, too
  std::optional<ResourceModel> resource;
  std::string description;
};

/// One group version: a header of types.
struct PackageModel {
  std::string folder;    // "core": header <folder>/<version>.hpp
  std::string version;   // "v1"
  std::string group;     // "", "apps"
  std::string space;     // "kubexx::api::core::v1"
  std::string accessor;  // of the factory: "core", "internal"
  bool protobuf = false;
  std::set<std::string> includes;
  std::vector<TypeModel> types;  // used ones first
};

/// Every group version of the built-in schema.
Result<std::vector<PackageModel>> builtin_packages();
/// Adds the served versions of the CustomResourceDefinitions in a YAML text (any number of documents). They get this
/// namespace, or (empty) that of their group's first label.
Result<void> add_crd_packages(std::string_view yaml, std::string_view space, std::vector<PackageModel>& out);

/// The first lines of every header, and those that refuse to be compiled with a library they were not written for.
inline constexpr std::string_view kHead = "// Written by kubexx-gen. Do not edit.\n#pragma once\n\n";
std::string version_check();

/// The objects and views of a group version: what reading needs.
std::string views_header(const PackageModel& package);
/// All types of a group version: the header of its views, and the drafts.
std::string types_header(const PackageModel& package, const std::string& views);

/// Where generated headers are found: "kubexx/api/" and "kubexx/clientset/", or "<folder>/" for custom resources.
struct Layout {
  std::string types;      // prefix of includes of types
  std::string clientset;  // prefix of includes of clients and informers
  std::string space;      // namespace of clients and informers
  bool builtin = true;
};

/// The versions of each group, by its accessor.
using Groups = std::map<std::string, std::vector<const PackageModel*>>;

std::string group_header(const std::vector<const PackageModel*>& versions, const Layout& layout);
/// Of the subresource that custom resources may have, too.
inline constexpr std::string_view kScaleHeader = "kubexx/api/autoscaling/v1.hpp";
/// Headers of types that those of a group version and its clients include.
std::set<std::string> included_types(const PackageModel& package);
/// The informers of a group version, on its views.
std::string informers_header(const PackageModel& package, const Layout& layout);
/// Its types, informers and clients.
std::string group_version_header(const PackageModel& package, const Layout& layout);
std::string umbrella_header(const std::vector<const PackageModel*>& versions, const Layout& layout);
/// The class with an accessor per group.
std::string clientset_header(const Groups& groups, const Layout& layout);
/// The same for informers, as a view of any factory.
std::string all_informers_header(const Groups& groups, const Layout& layout);
/// What makes the built-in groups members of every factory.
std::string factory_groups_header(const Groups& groups, const Layout& layout);

}  // namespace kubexx::gen
