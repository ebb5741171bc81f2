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

void Delta::refuse(DeltaType type) {
  throw std::logic_error("a delta of type " + std::string(to_string(type)) + " carries no object");
}

void Delta::release(const Payload* payload) noexcept {
  if (payload->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete payload;
}

Delta Delta::tombstone(meta::DeletedFinalStateUnknown gone) {
  return {DeltaType::Deleted, std::move(gone.object), new Payload{std::move(gone.key), {}}};
}

Delta Delta::replaced_all(std::vector<meta::Object> objects, std::string resource_version) {
  return {DeltaType::ReplacedAll, {}, new Payload{std::move(resource_version), std::move(objects)}};
}

Delta Delta::sync_all() {
  return {DeltaType::SyncAll, {}, nullptr};
}

Delta Delta::bookmark(std::string resource_version) {
  return {DeltaType::Bookmark, {}, new Payload{std::move(resource_version), {}}};
}

Delta Delta::marked(bool repairs) && {
  if (!repairs) return std::move(*this);
  auto* own = new Payload{payload() ? payload()->text : kNoText, objects(), true};
  return {type(), std::move(object_), own};
}

const std::string& Delta::tombstone_key() const noexcept {
  return is_tombstone() ? payload()->text : kNoText;
}

const std::vector<meta::Object>& Delta::objects() const noexcept {
  return type() == DeltaType::ReplacedAll && payload() ? payload()->objects : kNoObjects;
}

const std::string& Delta::resource_version() const noexcept {
  return !has_key() && payload() ? payload()->text : kNoText;
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
