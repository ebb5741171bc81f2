#include "kubexx/store/lister.hpp"

#include "kubexx/base/log.hpp"

namespace kubexx::store {

std::vector<meta::Object> list_all(const Store& store, const meta::LabelSelector& selector) {
  if (selector.is_nothing()) return {};
  if (selector.empty()) return store.list();
  std::vector<meta::Object> matching;
  store.snapshot().for_each([&](const meta::Object& object) {
    if (selector.matches(object)) matching.push_back(object);
  });
  return matching;
}

std::vector<meta::Object> list_all_by_namespace(const Indexer& indexer, std::string_view namespace_,
                                                const meta::LabelSelector& selector) {
  if (namespace_.empty()) return list_all(indexer, selector);
  if (selector.is_nothing()) return {};
  if (auto objects = indexer.by_index(kNamespaceIndex, namespace_)) {
    if (!selector.empty()) std::erase_if(*objects, [&](const meta::Object& each) { return !selector.matches(each); });
    return std::move(*objects);
  }
  log(LogLevel::Warning, "no index by namespace: every object is looked at", {{"namespace", namespace_}});
  std::vector<meta::Object> matching;
  indexer.snapshot().for_each([&](const meta::Object& object) {
    if (object.namespace_() == namespace_ && selector.matches(object)) matching.push_back(object);
  });
  return matching;
}

Error not_found(const meta::GroupResource& resource, std::string_view name) {
  std::string message = resource.to_string() + " \"" + std::string(name) + "\" not found";
  return Error::api(404, "NotFound", std::move(message))
      .with_details({std::string(name), resource.group, resource.resource, {}, {}});
}

}  // namespace kubexx::store
