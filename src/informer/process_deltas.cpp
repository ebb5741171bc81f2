#include "kubexx/informer/process_deltas.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "informer/notification.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::informer {
namespace {

using delta::Delta;
using delta::DeltaType;
using store::Write;

EventCause cause_of(const Delta& delta, bool initial) {
  if (delta.type() == DeltaType::Deleted) return delta.is_tombstone() ? EventCause::Relist : EventCause::Watch;
  if (initial) return EventCause::Initial;
  switch (delta.type()) {
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
Notification change(meta::Key key, meta::Object before, meta::Object after, EventCause cause, bool initial,
                    bool repair) {
  Notification n;
  n.kind = before ? Notification::Kind::Update : Notification::Kind::Add;
  n.cause = cause;
  n.initial = initial && !before;
  n.repair = repair;
  n.before = std::move(before);
  n.after = std::move(after);
  n.key = std::move(key);
  return n;
}

Notification removal(meta::Key key, meta::Object last, bool known, EventCause cause, bool repair) {
  Notification n;
  n.kind = Notification::Kind::Delete;
  n.cause = cause;
  n.final_state_known = known;
  n.repair = repair;
  n.before = std::move(last);
  n.key = std::move(key);
  return n;
}

/// The key moves on with the write; the object stays, for whoever is told.
Write write_of(Delta& delta) {
  const bool removes = delta.type() == DeltaType::Deleted;
  Write write{removes ? Write::Type::Remove : Write::Type::Put, delta.take_key(), {}, {}};
  if (!delta.is_tombstone()) write.object = delta.object();  // an old state would move the store's version back
  return write;
}

void announce(Delta& delta, Write& write, bool initial, Announcer& announcer) {
  const auto cause = cause_of(delta, initial);
  if (write.type == Write::Type::Put) {
    return announcer.announce(
        change(std::move(write.key), std::move(write.previous), delta.take_object(), cause, initial, delta.repairs()));
  }
  if (!write.previous) return;  // nobody was told of it
  announcer.announce(removal(std::move(write.key), delta.take_object(), !delta.is_tombstone(), cause, delta.repairs()));
}

/// Changes of keys: all of them are in the store before the first announcement.
Result<void> apply(std::span<Delta> deltas, bool initial, store::Indexer& store, Announcer& announcer) {
  if (deltas.size() == 1) {
    Write write = write_of(deltas[0]);
    if (auto done = store.apply({&write, 1}); !done) return done;
    announce(deltas[0], write, initial, announcer);
    return {};
  }
  std::vector<Write> writes;
  writes.reserve(deltas.size());
  for (Delta& delta : deltas) writes.push_back(write_of(delta));
  if (auto done = store.apply(writes); !done) return done;
  for (std::size_t i = 0; i < deltas.size(); ++i) announce(deltas[i], writes[i], initial, announcer);
  return {};
}

/// What the store has of the objects that a list speaks for.
std::vector<meta::KeyedObject> covered(const delta::Coverage& of, const store::Indexer& store) {
  std::vector<meta::KeyedObject> all;
  if (of.namespaces.size() == 1 && !of.others) {
    const auto keys = store.index_keys(store::kNamespaceIndex, of.namespaces.front());
    if (keys) {
      for (const auto& key : *keys) {
        auto object = store.find(key);
        if (of.has(object.namespace_()))
          all.push_back({meta::Key::of(object, key), object});  // the index may be another
      }
      return all;
    }
  }
  store.snapshot().for_each_with_key([&](std::string_view key, const meta::Object& object) {
    if (of.has(object.namespace_())) all.push_back({meta::Key::of(object, key), object});
  });
  return all;
}

/// Puts what a list of a part has and removes what it lacks, which is returned.
Result<std::vector<meta::KeyedObject>> replace_part(const delta::Coverage& of, std::vector<Write>& writes,
                                                    store::Indexer& store) {
  std::unordered_set<meta::Key> listed;
  listed.reserve(writes.size());
  for (const Write& write : writes) listed.insert(write.key);
  auto gone = covered(of, store);
  std::erase_if(gone, [&](const meta::KeyedObject& known) { return listed.contains(known.key); });
  std::vector<meta::Object> put;  // the store takes over those of the writes
  put.reserve(writes.size());
  for (const Write& write : writes) put.push_back(write.object);
  for (const auto& [key, object] : gone) writes.push_back({Write::Type::Remove, key, {}, {}});
  if (auto done = store.apply(writes); !done) return done.error();
  writes.resize(put.size());
  for (std::size_t i = 0; i < put.size(); ++i) writes[i].object = std::move(put[i]);
  return gone;
}

/// One whole list: the store takes it at once, then everybody hears what that changed, deletions first.
Result<void> replace_all(Delta& delta, bool initial, store::Indexer& store, Announcer& announcer) {
  std::vector<Write> writes;
  auto objects = delta.take_objects();
  writes.reserve(objects.size());
  for (auto& [key, object] : objects) writes.push_back({Write::Type::Put, std::move(key), std::move(object), {}});
  objects = {};
  const auto& of = delta.coverage();
  auto gone = of.all() ? store.replace(writes, delta.resource_version()) : replace_part(of, writes, store);
  if (!gone) return gone.error();
  for (auto& [key, last] : *gone) {
    announcer.announce(removal(std::move(key), std::move(last), false, EventCause::Relist, delta.repairs()));
  }
  const auto cause = cause_of(delta, initial);
  for (Write& write : writes) {
    announcer.announce(change(std::move(write.key), std::move(write.previous), std::move(write.object), cause, initial,
                              delta.repairs()));
  }
  return {};
}

Result<void> apply_keyless(Delta& delta, bool initial, store::Indexer& store, Announcer& announcer) {
  switch (delta.type()) {
    case DeltaType::Bookmark:
      store.bookmark(delta.resource_version());
      return {};
    case DeltaType::SyncAll:
      store.snapshot().for_each_with_key([&](std::string_view key, const meta::Object& object) {
        announcer.announce(change(meta::Key::of(object, key), object, object, EventCause::Resync, false, false));
      });
      return {};
    default:
      return replace_all(delta, initial, store, announcer);
  }
}

/// Calls one handler at once, on the strand that applies the changes.
class Direct final : public Announcer {
 public:
  explicit Direct(ResourceEventHandler& handler) : handler_(handler) {}
  void announce(Notification n) override {
    const EventContext context(n.cause, {}, n.before ? &n.before : nullptr, n.after ? &n.after : nullptr);
    call_isolated("handler of an informer", [&] { call_handler(handler_, n, context); });
  }

 private:
  ResourceEventHandler& handler_;
};

}  // namespace

Result<void> process_deltas(delta::Deltas& deltas, bool is_in_initial_list, store::Indexer& store,
                            Announcer& announcer) {
  const std::span<Delta> all(deltas);
  for (std::size_t at = 0; at < all.size();) {
    std::size_t keyed = 0;
    while (at + keyed < all.size() && all[at + keyed].has_key()) ++keyed;
    auto done = keyed > 0 ? apply(all.subspan(at, keyed), is_in_initial_list, store, announcer)
                          : apply_keyless(all[at], is_in_initial_list, store, announcer);
    if (!done) return done;
    at += std::max<std::size_t>(keyed, 1);
  }
  return {};
}

Result<void> process_deltas(delta::Deltas& deltas, bool is_in_initial_list, store::Indexer& store,
                            ResourceEventHandler& handler) {
  Direct direct(handler);
  return process_deltas(deltas, is_in_initial_list, store, direct);
}

}  // namespace kubexx::informer
