#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::delta {

/// What happened to a key on its way to the store.
enum class DeltaType : std::uint8_t {
  Added,
  Updated,
  Deleted,      ///< seen on the watch, or inferred (a tombstone)
  Replaced,     ///< one object of a list
  ReplacedAll,  ///< a whole list, its version and what it speaks for, as one change
  Sync,         ///< one object again, by resync
  SyncAll,      ///< everything again, by resync
  Bookmark,     ///< the version moved on, nothing else
};
KUBEXX_EXPORT std::string_view to_string(DeltaType type) noexcept;  ///< "Added", ...

/// The objects that a list speaks for: what is among them and not in the list is gone.
struct KUBEXX_EXPORT Coverage {
  std::vector<std::string> namespaces = {};  ///< those of these; none: every object, unless
  bool others = false;                       ///< those of all namespaces but these

  /// Whether it is all namespaces, or has this one.
  bool all() const noexcept { return namespaces.empty(); }
  bool has(std::string_view namespace_) const noexcept;
};

/// One change on its way to the cache, with the key it concerns. A value; copying it copies handles.
///
/// What it carries depends on the type: an object and its key (Added, Updated, Replaced, Sync, and Deleted as seen on
/// the watch), a tombstone (a Deleted that was inferred: key and last known object, which may be null), objects and a
/// version (ReplacedAll), a version (Bookmark), or nothing (SyncAll).
class KUBEXX_EXPORT Delta {
 public:
  /// Of a type that carries one object; anything else throws std::logic_error.
  Delta(DeltaType type, meta::Key key, meta::Object object)
      : key_(std::move(key)), type_(type), object_(std::move(object)) {
    if (!has_key()) refuse(type);
  }
  /// Under the object's default key.
  Delta(DeltaType type, meta::Object object);
  Delta(const Delta& other)
      : key_(other.key_),
        type_(other.type_),
        tombstone_(other.tombstone_),
        repairs_(other.repairs_),
        object_(other.object_),
        whole_(other.whole_ ? std::make_unique<Whole>(*other.whole_) : nullptr) {}
  Delta(Delta&&) noexcept = default;
  Delta& operator=(const Delta& other) { return *this = Delta(other); }
  Delta& operator=(Delta&&) noexcept = default;
  ~Delta() = default;
  static Delta tombstone(meta::Key key, meta::Object last_known);
  static Delta replaced_all(std::vector<meta::KeyedObject> objects, std::string resource_version, Coverage of = {});
  static Delta sync_all();
  static Delta bookmark(std::string resource_version);

  /// What happened.
  DeltaType type() const noexcept { return type_; }
  const meta::Key& key() const noexcept { return key_; }  ///< empty for types that concern no single key
  /// The object, or the last known one of a tombstone. Null for types that carry none.
  const meta::Object& object() const noexcept { return object_; }
  bool is_tombstone() const noexcept { return tombstone_; }
  const std::vector<meta::KeyedObject>& objects() const noexcept;  ///< of ReplacedAll, otherwise empty
  const std::string& resource_version() const noexcept;            ///< of ReplacedAll and Bookmark, otherwise ""
  const Coverage& coverage() const noexcept;                       ///< of ReplacedAll, otherwise everything
  /// What this brings was wrong before, not news (DeltaSink::repair).
  bool repairs() const noexcept { return repairs_; }
  Delta marked(bool repairs) && {
    repairs_ = repairs;
    return std::move(*this);
  }
  /// False for ReplacedAll, SyncAll and Bookmark: they concern no single key.
  bool has_key() const noexcept {
    return type_ != DeltaType::ReplacedAll && type_ != DeltaType::SyncAll && type_ != DeltaType::Bookmark;
  }

  /// What it carries, for whoever uses it up.
  meta::Key take_key() noexcept { return std::move(key_); }
  meta::Object take_object() noexcept { return std::move(object_); }
  std::vector<meta::KeyedObject> take_objects() noexcept;

 private:
  /// What few deltas have.
  struct Whole {
    std::vector<meta::KeyedObject> objects = {};
    std::string resource_version = {};
    Coverage coverage = {};
  };
  explicit Delta(DeltaType type, std::unique_ptr<Whole> whole = {}) : type_(type), whole_(std::move(whole)) {}
  [[noreturn]] static void refuse(DeltaType type);

  [[no_unique_address]] meta::Key key_;  // which leaves room for the next three
  DeltaType type_;
  bool tombstone_ = false;
  bool repairs_ = false;
  meta::Object object_;
  std::unique_ptr<Whole> whole_;
};

/// The changes of one key, oldest first; or a batch of changes of different keys.
using Deltas = std::vector<Delta>;

}  // namespace kubexx::delta
