#include "kubexx/delta/delta.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/internal/enum_name.hpp"

namespace kubexx::delta {
namespace {

const std::string kNoText;
const std::vector<meta::KeyedObject> kNoObjects;
const Coverage kEverything;

}  // namespace

std::string_view to_string(DeltaType type) noexcept {
  static constexpr std::string_view kNames[] = {"Added",       "Updated", "Deleted", "Replaced",
                                                "ReplacedAll", "Sync",    "SyncAll", "Bookmark"};
  return enum_name<DeltaType::Bookmark>(type, kNames, "Unknown");
}

bool Coverage::has(std::string_view namespace_) const noexcept {
  if (all()) return true;
  const bool named = std::find(namespaces.begin(), namespaces.end(), namespace_) != namespaces.end();
  return named != others;
}

void Delta::refuse(DeltaType type) {
  throw std::logic_error("a delta of type " + std::string(to_string(type)) + " carries no object");
}

Delta::Delta(DeltaType type, meta::Object object) : Delta(type, meta::Key::of(object), object) {}

Delta Delta::tombstone(meta::Key key, meta::Object last_known) {
  Delta made(DeltaType::Deleted, std::move(key), std::move(last_known));
  made.tombstone_ = true;
  return made;
}

Delta Delta::replaced_all(std::vector<meta::KeyedObject> objects, std::string resource_version, Coverage of) {
  return Delta(DeltaType::ReplacedAll,
               std::make_unique<Whole>(Whole{std::move(objects), std::move(resource_version), std::move(of)}));
}

Delta Delta::sync_all() {
  return Delta(DeltaType::SyncAll);
}

Delta Delta::bookmark(std::string resource_version) {
  return Delta(DeltaType::Bookmark, std::make_unique<Whole>(Whole{{}, std::move(resource_version), {}}));
}

const std::vector<meta::KeyedObject>& Delta::objects() const noexcept {
  return whole_ ? whole_->objects : kNoObjects;
}

const std::string& Delta::resource_version() const noexcept {
  return whole_ ? whole_->resource_version : kNoText;
}

const Coverage& Delta::coverage() const noexcept {
  return whole_ ? whole_->coverage : kEverything;
}

std::vector<meta::KeyedObject> Delta::take_objects() noexcept {
  return whole_ ? std::move(whole_->objects) : std::vector<meta::KeyedObject>();
}

}  // namespace kubexx::delta
