#include "informer/apply_deltas.hpp"

#include <optional>
#include <unordered_set>

namespace kubexx::informer {
namespace {

using delta::Delta;
using delta::DeltaType;

EventCause cause_of(DeltaType type, bool initial) {
  if (initial) return EventCause::Initial;
  switch (type) {
    case DeltaType::Replaced:
    case DeltaType::ReplacedAll:
      return EventCause::Relist;
    case DeltaType::Sync:
    case DeltaType::SyncAll:
      return EventCause::Resync;
    default:
      return EventCause::Watch;
  }
}

/// An add or an update, by what the store had.
Notification change(meta::Object before, meta::Object after, EventCause cause, bool initial, bool repair) {
  Notification n;
  n.repair = repair;
  n.kind = before ? Notification::Kind::Update : Notification::Kind::Add;
  n.cause = cause;
  n.initial = initial && !before;
  n.before = std::move(before);
  n.after = std::move(after);
  return n;
}

Notification removal(std::string key, meta::Object last, bool known, EventCause cause, bool repair) {
  Notification n;
  n.repair = repair;
  n.kind = Notification::Kind::Delete;
  n.cause = cause;
  n.final_state_known = known;
  n.before = std::move(last);
  n.key = std::move(key);
  return n;
}

Result<std::string> key_of(const Delta& delta, const store::Indexer& store) {
  if (delta.is_tombstone()) return delta.tombstone_key();
  return store.key_of(delta.object());
}

/// One whole list: the store is swapped once, then everybody hears what that changed, deletions first.
Result<void> replace_all(const Delta& delta, bool initial, store::Indexer& store, Announcer& announcer) {
  const auto before = store.snapshot();
  std::vector<std::string> keys;
  keys.reserve(delta.objects().size());
  for (const auto& object : delta.objects()) {
    auto key = store.key_of(object);
    if (!key) return key.error();
    keys.push_back(std::move(*key));
  }
  if (auto done = store.replace(delta.objects(), delta.resource_version()); !done) return done;
  const auto cause = cause_of(delta.type(), initial);
  if (!before.empty()) {
    const std::unordered_set<std::string_view> listed(keys.begin(), keys.end());
    before.for_each_with_key([&](std::string_view key, const meta::Object& object) {
      if (listed.contains(key)) return;
      announcer.announce(removal(std::string(key), object, false, EventCause::Relist, delta.repairs()));
    });
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto old = before.empty() ? meta::Object() : before.get(keys[i]);
    announcer.announce(change(std::move(old), delta.objects()[i], cause, initial, delta.repairs()));
  }
  return {};
}

}  // namespace

Result<void> apply_deltas(delta::Deltas& deltas, bool initial, store::Indexer& store, Announcer& announcer) {
  for (auto& delta : deltas) {
    switch (delta.type()) {
      case DeltaType::Bookmark:
        store.bookmark(delta.resource_version());
        break;
      case DeltaType::ReplacedAll:
        if (auto done = replace_all(delta, initial, store, announcer); !done) return done;
        break;
      case DeltaType::SyncAll:
        store.snapshot().for_each([&](const meta::Object& object) {
          announcer.announce(change(object, object, EventCause::Resync, false, false));
        });
        return {};
      case DeltaType::Deleted: {
        auto key = key_of(delta, store);
        if (!key) return key.error();
        const bool held = static_cast<bool>(store.get_by_key(*key));
        auto done = delta.is_tombstone() ? store.remove(meta::DeletedFinalStateUnknown{*key, delta.object()})
                                         : store.remove(delta.object());
        if (!done) return done;
        const bool known = !delta.is_tombstone();
        if (!held) break;  // nobody was told of it
        announcer.announce(removal(std::move(*key), delta.object(), known,
                                   known ? EventCause::Watch : EventCause::Relist, delta.repairs()));
        break;
      }
      default: {
        auto key = store.key_of(delta.object());
        if (!key) return key.error();
        auto old = store.get_by_key(*key);
        if (auto done = store.update(delta.object()); !done) return done;
        announcer.announce(
            change(std::move(old), delta.object(), cause_of(delta.type(), initial), initial, delta.repairs()));
        break;
      }
    }
  }
  return {};
}

Result<void> apply_batch(delta::Deltas& deltas, bool initial, store::Indexer& store, Announcer& announcer) {
  std::vector<store::Transaction> writes;
  std::vector<std::optional<Notification>> calls;  // absent: nobody was told of what is removed
  writes.reserve(deltas.size());
  calls.reserve(deltas.size());
  for (auto& delta : deltas) {
    auto key = key_of(delta, store);
    store::Transaction write;
    if (!delta.is_tombstone()) write.object = delta.object();  // an old state would move the store's version back
    if (delta.type() == DeltaType::Deleted) {
      write.type = store::Transaction::Type::Remove;
      const bool known = !delta.is_tombstone();
      auto& call = calls.emplace_back();
      if (key && store.get_by_key(*key)) {
        call = removal(*key, delta.object(), known, known ? EventCause::Watch : EventCause::Relist, delta.repairs());
      }
    } else {
      write.type = store::Transaction::Type::Update;
      calls.emplace_back(change(key ? store.get_by_key(*key) : meta::Object(), delta.object(),
                                cause_of(delta.type(), initial), initial, delta.repairs()));
    }
    if (key) write.key = std::move(*key);
    writes.push_back(std::move(write));
  }
  const auto result = store.transaction(std::move(writes));
  for (const auto index : result.successful) {
    if (calls[index]) announcer.announce(std::move(*calls[index]));
  }
  if (!result.ok()) return result.errors.front();
  return {};
}

}  // namespace kubexx::informer
