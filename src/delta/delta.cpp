#include "kubexx/delta/delta.hpp"

#include <stdexcept>
#include <utility>

namespace kubexx::delta {
namespace {

const std::string kNoText;
const std::vector<meta::Object> kNoObjects;

}  // namespace

std::string_view to_string(DeltaType type) noexcept {
  switch (type) {
    case DeltaType::Added:
      return "Added";
    case DeltaType::Updated:
      return "Updated";
    case DeltaType::Deleted:
      return "Deleted";
    case DeltaType::Replaced:
      return "Replaced";
    case DeltaType::ReplacedAll:
      return "ReplacedAll";
    case DeltaType::Sync:
      return "Sync";
    case DeltaType::SyncAll:
      return "SyncAll";
    case DeltaType::Bookmark:
      return "Bookmark";
  }
  return "Unknown";
}

Delta::Delta(DeltaType type, meta::Object object) : object_(std::move(object)), type_(type) {
  if (!has_key()) throw std::logic_error("a delta of type " + std::string(to_string(type)) + " carries no object");
}

Delta Delta::tombstone(meta::DeletedFinalStateUnknown gone) {
  auto payload = std::make_shared<Payload>();
  payload->text = std::move(gone.key);
  return {DeltaType::Deleted, std::move(gone.object), std::move(payload)};
}

Delta Delta::replaced_all(std::vector<meta::Object> objects, std::string resource_version) {
  auto payload = std::make_shared<Payload>();
  payload->text = std::move(resource_version);
  payload->objects = std::move(objects);
  return {DeltaType::ReplacedAll, {}, std::move(payload)};
}

Delta Delta::sync_all() {
  return {DeltaType::SyncAll, {}, nullptr};
}

Delta Delta::bookmark(std::string resource_version) {
  auto payload = std::make_shared<Payload>();
  payload->text = std::move(resource_version);
  return {DeltaType::Bookmark, {}, std::move(payload)};
}

const std::string& Delta::tombstone_key() const noexcept {
  return is_tombstone() ? payload_->text : kNoText;
}

const std::vector<meta::Object>& Delta::objects() const noexcept {
  return type_ == DeltaType::ReplacedAll && payload_ ? payload_->objects : kNoObjects;
}

const std::string& Delta::resource_version() const noexcept {
  return !has_key() && payload_ ? payload_->text : kNoText;
}

Result<std::string> key_of(const Delta& delta, const meta::KeyFunc& key_func) {
  if (!delta.has_key())
    return Error::config("a change of type " + std::string(to_string(delta.type())) + " has no key");
  if (delta.is_tombstone()) return delta.tombstone_key();
  return key_func ? key_func(delta.object()) : meta::meta_namespace_key(delta.object());
}

Result<std::string> key_of(const Deltas& deltas, const meta::KeyFunc& key_func) {
  if (deltas.empty()) return Error::config("no deltas, so no key");
  return key_of(deltas.back(), key_func);
}

}  // namespace kubexx::delta
