#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::store {

/// The values under which an object is found in an index: none, one or several. Runs without a lock of the store and
/// may run again for the same object. An Error (or an exception) is counted and reported (error_sink.hpp), and the
/// object is left out of that index.
using IndexFunc = std::function<Result<std::vector<std::string>>(const meta::Object&)>;

/// Index functions by name.
using Indexers = std::map<std::string, IndexFunc, std::less<>>;

/// The name of the index by namespace, which listers use.
inline constexpr std::string_view kNamespaceIndex = "namespace";
/// The function of that index: the object's namespace. An object without metadata is an Error.
KUBEXX_EXPORT Result<std::vector<std::string>> meta_namespace_index(const meta::Object& object);
/// {"namespace": meta_namespace_index}
KUBEXX_EXPORT Indexers namespace_indexers();

/// Indexes by the value of one label; objects without it have no value.
KUBEXX_EXPORT IndexFunc label_index(std::string label);

}  // namespace kubexx::store
