#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
  Delta(DeltaType type, meta::Object object) : Delta(type, std::move(object), nullptr) {
    if (!has_key()) refuse(type);
  }
  Delta(const Delta& other) noexcept : object_(other.object_), bits_(other.bits_) {
    if (payload()) payload()->references.fetch_add(1, std::memory_order_relaxed);
  }
  Delta(Delta&& other) noexcept : object_(std::move(other.object_)), bits_(other.bits_) { other.bits_ &= kTypeBits; }
  Delta& operator=(Delta other) noexcept {
    std::swap(object_, other.object_);
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~Delta() {
    if (payload()) release(payload());
  }
  static Delta tombstone(meta::DeletedFinalStateUnknown gone);
  static Delta replaced_all(std::vector<meta::Object> objects, std::string resource_version);
  static Delta sync_all();
  static Delta bookmark(std::string resource_version);

  DeltaType type() const noexcept { return static_cast<DeltaType>(bits_ & kTypeBits); }
  /// The object, or the last known one of a tombstone. Null for types that carry none.
  const meta::Object& object() const noexcept { return object_; }
  bool is_tombstone() const noexcept { return type() == DeltaType::Deleted && payload() != nullptr; }
  const std::string& tombstone_key() const noexcept;          ///< "" when it is no tombstone
  const std::vector<meta::Object>& objects() const noexcept;  ///< of ReplacedAll, otherwise empty
  const std::string& resource_version() const noexcept;       ///< of ReplacedAll and Bookmark, otherwise ""
  /// What this brings was wrong before, not news (DeltaSink::repair).
  bool repairs() const noexcept { return payload() && payload()->repairs; }
  Delta marked(bool repairs) &&;  ///< for what a replace makes: Replaced, ReplacedAll, Sync and tombstones
  /// False for ReplacedAll, SyncAll and Bookmark: they concern no single key.
  bool has_key() const noexcept {
    return type() != DeltaType::ReplacedAll && type() != DeltaType::SyncAll && type() != DeltaType::Bookmark;
  }

 private:
  /// What few deltas have. Shared by the copies of a delta.
  struct alignas(8) Payload {
    std::string text;  // the tombstone's key, or the version
    std::vector<meta::Object> objects;
    bool repairs = false;
    mutable std::atomic<std::uint32_t> references{1};
  };
  static constexpr std::uintptr_t kTypeBits = 7;

  Delta(DeltaType type, meta::Object object, const Payload* owned) noexcept
      : object_(std::move(object)),
        bits_(reinterpret_cast<std::uintptr_t>(owned) | static_cast<std::uintptr_t>(type)) {}
  const Payload* payload() const noexcept { return reinterpret_cast<const Payload*>(bits_ & ~kTypeBits); }
  static void release(const Payload* payload) noexcept;
  [[noreturn]] static void refuse(DeltaType type);

  meta::Object object_;
  std::uintptr_t bits_;  // the payload's address and, in the bits that alignment leaves free, the type
};

/// The changes of one key, oldest first; or a batch of changes of different keys.
using Deltas = std::vector<Delta>;

/// The key of a change: the tombstone's, or what the function says of the object (absent: meta_namespace_key). An
/// Error for changes without a key.
Result<std::string> key_of(const Delta& delta, const meta::KeyFunc& key_func = {});
/// The key of the newest; an Error when there is none.
Result<std::string> key_of(const Deltas& deltas, const meta::KeyFunc& key_func = {});

}  // namespace kubexx::delta
