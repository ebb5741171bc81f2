#include "agent/pod_index.hpp"

#include <algorithm>
#include <utility>

namespace kubexx::agent::detail {
namespace {

constexpr std::size_t kMostNodeAddresses = 16;

/// Whether what stands under a key gives way to another record.
bool gives_way(const LookupTable::Entry* standing, const PodRecord& record, Rank rank) {
  if (standing == nullptr || !standing->record || standing->record->pod.uid() == record.pod.uid()) return true;
  if (standing->rank != rank) return standing->rank < rank;
  return standing->record->pod.creation_timestamp() <= record.pod.creation_timestamp();
}

}  // namespace

void PodIndex::put(PodRecord record, TimePoint now) {
  const auto fresh = std::make_shared<const PodRecord>(std::move(record));
  const auto key = fresh->pod.key();
  if (const auto found = pods_.find(key); found != pods_.end() && found->second->pod.uid() != fresh->pod.uid())
    end(key, now);  // another pod had the name, and nobody said that it went
  const auto before = std::exchange(pods_[key], fresh);
  write(fresh);
  if (before && retire(before)) keep(before, now);
  table_.settle();
}

void PodIndex::write(const Record& record) {
  record->for_each_key([&](KeyKind kind, std::string_view key, std::int32_t container, Rank rank, bool ended) {
    if (!gives_way(table_.peek(kind, key), *record, rank)) return;
    table_.put({.kind = kind,
                .rank = rank,
                .ended = ended,
                .container = container,
                .hash = 0,
                .key = key,
                .address = {},
                .record = record});
  });
  note_node_addresses(*record);
}

/// They stay: an address of the node does not become a pod's, and another pod of the host's network may still have it.
void PodIndex::note_node_addresses(const PodRecord& record) {
  if (!record.host_network) return;
  for (const auto& each : record.addresses) {
    if (node_addresses_ >= kMostNodeAddresses || table_.peek(KeyKind::NodeAddress, bytes_of(each))) continue;
    ++node_addresses_;
    table_.put({.kind = KeyKind::NodeAddress,
                .rank = Rank::Live,
                .ended = false,
                .container = -1,
                .hash = 0,
                .key = {},
                .address = each,
                .record = {}});
  }
}

/// Marks what only the former record has as ended; whether there was anything.
bool PodIndex::retire(const Record& before) {
  bool any = false;
  before->for_each_key([&](KeyKind kind, std::string_view key, std::int32_t container, Rank, bool) {
    const auto* const standing = table_.peek(kind, key);
    if (standing == nullptr || standing->record != before) return;  // the present one has it too, or another pod
    table_.put({.kind = kind,
                .rank = Rank::Ended,
                .ended = true,
                .container = container,
                .hash = 0,
                .key = key,
                .address = {},
                .record = before});
    any = true;
  });
  return any;
}

void PodIndex::end(std::string_view key, TimePoint now) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const auto before = found->second;
  pods_.erase(found);
  PodRecord last = *before;
  last.ended = true;
  const auto after = std::make_shared<const PodRecord>(std::move(last));
  replace(before, after);
  keep(after, now);
  table_.settle();
}

/// Where `before` stands, `after` does, with what it says of itself.
void PodIndex::replace(const Record& before, const Record& after) {
  after->for_each_key([&](KeyKind kind, std::string_view key, std::int32_t container, Rank rank, bool ended) {
    const auto* const standing = table_.peek(kind, key);
    if (standing == nullptr || standing->record != before) return;
    table_.put({.kind = kind,
                .rank = std::min(rank, standing->rank),
                .ended = ended || standing->ended,
                .container = container,
                .hash = 0,
                .key = key,
                .address = {},
                .record = after});
  });
}

void PodIndex::keep(Record record, TimePoint now) {
  ended_.push_back({now + keep_ended_, std::move(record)});
  while (ended_.size() > most_ended_) {
    forget(*ended_.front().record);
    ended_.pop_front();
  }
}

void PodIndex::forget(const PodRecord& record) {
  record.for_each_key([&](KeyKind kind, std::string_view key, std::int32_t, Rank, bool) {
    const auto* const standing = table_.peek(kind, key);
    if (standing != nullptr && standing->record.get() == &record) table_.erase(kind, key);
  });
}

void PodIndex::purge(TimePoint now) {
  while (!ended_.empty() && ended_.front().until <= now) {
    forget(*ended_.front().record);
    ended_.pop_front();
  }
  table_.settle();
}

PodIndex::Record PodIndex::answered(const Record& record, const std::shared_ptr<const OwnerReference>& above) {
  PodRecord known = *record;
  known.owner_known = true;
  known.above = above;
  const auto after = std::make_shared<const PodRecord>(std::move(known));
  replace(record, after);
  return after;
}

void PodIndex::set_above(const OwnerQuestion& question, const std::shared_ptr<const OwnerReference>& above) {
  const auto meant = [&](const PodRecord& record) {
    return record.controller.uid == question.uid && record.controller.name == question.name &&
           record.pod.namespace_() == question.namespace_;
  };
  for (auto& [key, record] : pods_) {
    if (meant(*record)) record = answered(record, above);
  }
  for (auto& each : ended_) {
    if (meant(*each.record)) each.record = answered(each.record, above);
  }
  table_.settle();
}

std::set<std::string, std::less<>> PodIndex::questions() const {
  std::set<std::string, std::less<>> keys;
  const auto note = [&](const PodRecord& record) {
    if (const auto question = question_about(record)) keys.insert(question->key());
  };
  for (const auto& [key, record] : pods_) note(*record);
  for (const auto& each : ended_) note(*each.record);
  return keys;
}

}  // namespace kubexx::agent::detail
