#include "kubexx/meta/object_key.hpp"

namespace kubexx::meta {

namespace {

std::string join(std::string_view namespace_, std::string_view name) {
  if (namespace_.empty()) return std::string(name);
  std::string key;
  key.reserve(namespace_.size() + 1 + name.size());
  key.append(namespace_).append(1, '/').append(name);
  return key;
}

}  // namespace

std::string ObjectKey::to_string() const {
  return join(namespace_, name);
}

Result<ObjectKey> ObjectKey::parse(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return ObjectKey{"", std::string(key)};
  if (key.find('/', slash + 1) != std::string_view::npos) {
    return Error::decode("key \"" + std::string(key.substr(0, 600)) + "\" is not of the form namespace/name");
  }
  return ObjectKey{std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

std::string Object::key() const {
  return join(namespace_(), name());
}

Result<std::string> meta_namespace_key(const Object& object) {
  if (!object.has_metadata()) return Error::decode("the object has no metadata");
  if (object.name().empty()) return Error::decode("the object has no metadata.name");
  return join(object.namespace_(), object.name());
}

Result<std::string> meta_namespace_key(const DeletedFinalStateUnknown& tombstone) {
  return tombstone.key;
}

}  // namespace kubexx::meta
