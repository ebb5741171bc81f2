#include "kubexx/store/index.hpp"

#include <utility>

#include "store/index_values.hpp"

namespace kubexx::store {

Result<std::vector<std::string>> meta_namespace_index(const meta::Object& object) {
  if (!object.has_metadata()) return Error::config("an object without metadata has no namespace");
  return std::vector<std::string>{std::string(object.namespace_())};
}

Indexers namespace_indexers() {
  return {{std::string(kNamespaceIndex), meta_namespace_index}};
}

Result<std::vector<std::string>> LabelIndex::operator()(const meta::Object& object) const {
  const meta::Value value = object.labels()[label];
  if (!value.is_string()) return std::vector<std::string>();
  return std::vector<std::string>{std::string(value.string())};
}

IndexFunc label_index(std::string label) {
  return LabelIndex{std::move(label)};
}

}  // namespace kubexx::store
