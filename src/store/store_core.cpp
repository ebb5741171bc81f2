#include "store/store_core.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/internal/insist.hpp"

namespace kubexx::store::detail {

namespace {

class Unsettled {
 public:
  explicit Unsettled(std::atomic<std::uint64_t>* count) : count_(count) { change(); }
  ~Unsettled() { change(); }
  Unsettled(const Unsettled&) = delete;
  Unsettled& operator=(const Unsettled&) = delete;

 private:
  void change() {
    if (count_ != nullptr) count_->fetch_add(1);
  }
  std::atomic<std::uint64_t>* count_;
};

Table::KeyKind kind_of(const Write& write) {
  return write.key.is_default_of(write.object) ? Table::KeyKind::Default : Table::KeyKind::Own;
}

}  // namespace

SnapshotData::SnapshotData(std::shared_ptr<StoreCore> store, Epoch pinned, const Roots& seen, std::string rv,
                           std::uint64_t number)
    : core(std::move(store)), epoch(pinned), roots(seen), resource_version(std::move(rv)), version(number) {}

SnapshotData::~SnapshotData() {
  core->unpin(epoch);
}

StoreCore::StoreCore(const Indexers& indexers) {
  auto all = std::make_shared<IndexDefinitions>();
  for (const auto& [name, function] : indexers) all->push_back(std::make_shared<IndexDefinition>(name, function));
  definitions_ = std::move(all);
  table_ = std::make_unique<Table>(epochs_, *definitions_);
  roots_.store(&table_->roots());
}

StoreCore::Definitions StoreCore::definitions() const {
  const FairLock::Reading reading(lock_);
  return definitions_;
}

void StoreCore::evaluate(const IndexDefinitions& definitions, const meta::Object& object,
                         std::span<IndexDefinition::Values> into) const {
  for (std::size_t i = 0; i < definitions.size(); ++i) definitions[i]->evaluate(object, into[i], index_errors_);
}

void StoreCore::wrote_locked() {
  epochs_.wrote();
  ++version_;
  size_.store(table_->roots().size(), std::memory_order_relaxed);
}

StoreCore::Definitions StoreCore::prepare(std::span<const Write> writes) const {
  const FairLock::Reading reading(lock_);
  for (const Write& write : writes.first(std::min<std::size_t>(writes.size(), 16))) {
    table_->roots().by_key.prefetch(write.key.hash());
  }
  return definitions_;
}

void StoreCore::write_locked(Write& write, Table::KeyKind kind, std::span<const IndexDefinition::Values> values) {
  if (write.type == Write::Type::Remove) {
    write.previous = table_->remove(write.key);
  } else {
    write.previous = table_->put(write.key, kind, std::move(write.object), values);
  }
}

void StoreCore::apply(std::span<Write> writes) {
  if (writes.empty()) return;
  const Write& last = writes.back();
  const std::string_view version = last.object.resource_version();  // of a document that the write or the table keeps
  const bool one_put = writes.size() == 1 && last.type == Write::Type::Put;
  std::array<IndexDefinition::Values, 4> few;
  std::vector<IndexDefinition::Values> many;
  for (bool done = false; !done;) {
    const Definitions current = prepare(writes);
    const std::size_t width = current->size();
    std::span<IndexDefinition::Values> values(few);
    if (writes.size() * width > few.size()) {
      many.resize(writes.size() * width);
      values = many;
    }
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (writes[i].type == Write::Type::Put) {
        evaluate(*current, writes[i].object, values.subspan(i * width, width));
      }
    }

    const std::lock_guard lock(lock_);
    if (definitions_ != current) continue;
    // Where objects have keys of their own, a put may change the handle and the key, which are two words.
    const bool settles = one_put && kind_of(last) == Table::KeyKind::Default && table_->roots().keys.empty();
    const Unsettled unsettled(settles ? nullptr : &unsettled_);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      write_locked(writes[i], kind_of(writes[i]), values.subspan(i * width, width));
    }
    if (!version.empty()) insist([&] { resource_version_ = version; });
    wrote_locked();
    done = true;
  }
  epochs_.tidy();
}

std::vector<meta::KeyedObject> StoreCore::replace(std::span<Write> writes, const std::string& resource_version) {
  std::vector<meta::KeyedObject> gone;
  const auto each = [&](auto put) {
    for (Write& write : writes) write.previous = put(write.key, kind_of(write), write.object);
  };
  replace_by(each, resource_version, &gone);
  return gone;
}

void StoreCore::replace(std::span<meta::Object> objects, const std::string& resource_version) {
  const auto each = [&](auto put) {
    for (meta::Object& object : objects) put(meta::Key::of(object), Table::KeyKind::Default, object);
  };
  replace_by(each, resource_version, nullptr);
}

template <class Each>
void StoreCore::replace_by(Each each, const std::string& resource_version, std::vector<meta::KeyedObject>* gone) {
  while (true) {
    // The new table is private until it is exchanged, so it is built without a lock.
    const Definitions current = definitions();
    auto fresh = std::make_unique<Table>(epochs_, *current);
    std::vector<IndexDefinition::Values> values(current->size());
    const Snapshot before = snapshot();
    const Roots& old = before.data_->roots;
    std::vector<bool> listed(old.size());
    each([&](const meta::Key& key, Table::KeyKind kind, meta::Object& object) {
      const auto [id, handle] = old.find(key);
      meta::Object previous;
      if (id != kNoId) {
        listed[id] = true;
        previous = handle.object();
        if (same_object(previous, object)) object = previous;
      }
      evaluate(*current, object, values);
      static_cast<void>(fresh->put(key, kind, object, values));
      return previous;
    });
    if (!exchange(fresh, current, resource_version)) continue;
    Readers::wait();  // for those that read the old table, which goes now
    for (std::uint32_t id = 0; gone && id < old.size(); ++id) {
      if (!listed[id]) insist([&] { gone->push_back({old.key_of(id), old.object(id)}); });
    }
    return;
  }
}

bool StoreCore::exchange(std::unique_ptr<Table>& fresh, const Definitions& built_for, const std::string& version) {
  const std::lock_guard lock(lock_);
  if (definitions_ != built_for) return false;
  resource_version_ = version;  // first: it alone needs memory
  table_.swap(fresh);
  roots_.store(&table_->roots());
  wrote_locked();
  return true;
}

void StoreCore::bookmark(std::string_view resource_version) {
  const std::lock_guard lock(lock_);
  resource_version_ = resource_version;
  wrote_locked();
}

meta::Object StoreCore::find(const meta::KeyParts& key, std::uint32_t hash) const {
  {
    const Readers::Mark mark;
    const std::uint64_t before = unsettled_.load();
    if (mark && before % 2 == 0) {
      const Handle found = roots_.load()->find(key, hash).handle;
      if (unsettled_.load() == before) return found.object();
    }
  }
  const FairLock::Reading reading(lock_);
  return table_->roots().find(key, hash).handle.object();
}

std::vector<meta::Object> StoreCore::find_many(std::span<const std::string_view> keys) const {
  std::vector<meta::Object> found;
  found.reserve(keys.size());
  while (!keys.empty()) {
    const std::size_t count = std::min(keys.size(), kPortion);
    find_portion(keys.first(count), found);
    keys = keys.subspan(count);
  }
  return found;
}

void StoreCore::find_portion(std::span<const std::string_view> keys, std::vector<meta::Object>& to) const {
  std::array<std::uint32_t, kPortion> hashes;
  std::array<Handle, kPortion> found;
  std::transform(keys.begin(), keys.end(), hashes.begin(), [](std::string_view key) { return short_hash(key); });
  const auto sought = std::span(hashes).first(keys.size());
  const auto take = [&] {
    for (std::size_t i = 0; i < keys.size(); ++i) to.push_back(found[i].object());
  };
  {
    const Readers::Mark mark;
    const std::uint64_t before = unsettled_.load();
    if (mark && before % 2 == 0) {
      roots_.load()->find(keys, sought, found);
      if (unsettled_.load() == before) return take();
    }
  }
  const FairLock::Reading reading(lock_);
  table_->roots().find(keys, sought, found);
  take();
}

Snapshot StoreCore::snapshot_locked() const {
  auto self = std::const_pointer_cast<StoreCore>(shared_from_this());
  return Snapshot(std::make_shared<const SnapshotData>(std::move(self), epochs_.pin(), table_->roots(),
                                                       resource_version_, version_));
}

Snapshot StoreCore::snapshot() const {
  const FairLock::Reading reading(lock_);
  return snapshot_locked();
}

std::vector<meta::Object> StoreCore::list() const {
  Snapshot many;
  {
    const FairLock::Reading reading(lock_);
    if (table_->roots().size() <= kShortRead) return table_->roots().list();
    many = snapshot_locked();
  }
  return many.list();
}

std::vector<std::string> StoreCore::list_keys() const {
  return snapshot().list_keys();
}

std::size_t StoreCore::overhead_bytes() const {
  const FairLock::Reading reading(lock_);
  return epochs_.bytes() + table_->side_bytes();
}

std::size_t StoreCore::bytes() const {
  const FairLock::Reading reading(lock_);
  return epochs_.bytes() + table_->side_bytes() + static_cast<std::size_t>(table_->object_bytes());
}

std::string StoreCore::resource_version() const {
  const FairLock::Reading reading(lock_);
  return resource_version_;
}

}  // namespace kubexx::store::detail
