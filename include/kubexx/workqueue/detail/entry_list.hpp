#pragma once

#include <cstddef>
#include <cstdint>

#include "kubexx/workqueue/detail/item_table.hpp"

namespace kubexx::workqueue::detail {

/// A list that runs through the entries of a table; an entry is in one list at most.
template <class T>
struct EntryList {
  std::uint32_t head = kNoTicket;
  std::uint32_t tail = kNoTicket;
  std::size_t count = 0;

  void link(ItemTable<T>& table, std::uint32_t id) {
    table[id].previous = tail;
    table[id].following = kNoTicket;
    (tail == kNoTicket ? head : table[tail].following) = id;
    tail = id;
    ++count;
  }

  void unlink(ItemTable<T>& table, std::uint32_t id) {
    const Entry<T>& entry = table[id];
    (entry.previous == kNoTicket ? head : table[entry.previous].following) = entry.following;
    (entry.following == kNoTicket ? tail : table[entry.following].previous) = entry.previous;
    --count;
  }
};

}  // namespace kubexx::workqueue::detail
