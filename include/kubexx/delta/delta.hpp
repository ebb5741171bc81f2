#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::delta {

enum class DeltaType : std::uint8_t {
  Added,
  Updated,
  Deleted,      ///< seen on the watch, or inferred (a tombstone)
  Replaced,     ///< one object of a list
  ReplacedAll,  ///< a whole list and its version, as one change
  Sync,         ///< one object again, by resync
  SyncAll,      ///< everything again, by resync
  Bookmark,     ///< the version moved on, nothing else
};
std::string_view to_string(DeltaType type) noexcept;  ///< "Added", ...

/// One change on its way to the cache. A value; copying it copies handles.
///
/// What it carries depends on the type: an object (Added, Updated, Replaced, Sync, and Deleted as seen on the watch),
/// a tombstone (a Deleted that was inferred: key and last known object, which may be null), objects and a version
/// (ReplacedAll), a version (Bookmark), or nothing (SyncAll).
class Delta {
 public:
  /// Of a type that carries one object; anything else throws std::logic_error.
  Delta(DeltaType type, meta::Object object);
  static Delta tombstone(meta::DeletedFinalStateUnknown gone);
  static Delta replaced_all(std::vector<meta::Object> objects, std::string resource_version);
  static Delta sync_all();
  static Delta bookmark(std::string resource_version);

  DeltaType type() const noexcept { return type_; }
  /// The object, or the last known one of a tombstone. Null for types that carry none.
  const meta::Object& object() const noexcept { return object_; }
  bool is_tombstone() const noexcept { return type_ == DeltaType::Deleted && payload_ != nullptr; }
  const std::string& tombstone_key() const noexcept;          ///< "" when it is no tombstone
  const std::vector<meta::Object>& objects() const noexcept;  ///< of ReplacedAll, otherwise empty
  const std::string& resource_version() const noexcept;       ///< of ReplacedAll and Bookmark, otherwise ""
  /// False for ReplacedAll, SyncAll and Bookmark: they concern no single key.
  bool has_key() const noexcept {
    return type_ != DeltaType::ReplacedAll && type_ != DeltaType::SyncAll && type_ != DeltaType::Bookmark;
  }

 private:
  struct Payload {
    std::string text;  // the tombstone's key, or the version
    std::vector<meta::Object> objects;
  };
  Delta(DeltaType type, meta::Object object, std::shared_ptr<const Payload> payload) noexcept
      : object_(std::move(object)), payload_(std::move(payload)), type_(type) {}

  meta::Object object_;
  std::shared_ptr<const Payload> payload_;
  DeltaType type_;
};

/// The changes of one key, oldest first; or a batch of changes of different keys.
using Deltas = std::vector<Delta>;

/// The key of a change: the tombstone's, or what the function says of the object (absent: meta_namespace_key). An
/// Error for changes without a key.
Result<std::string> key_of(const Delta& delta, const meta::KeyFunc& key_func = {});
/// The key of the newest; an Error when there is none.
Result<std::string> key_of(const Deltas& deltas, const meta::KeyFunc& key_func = {});

}  // namespace kubexx::delta
