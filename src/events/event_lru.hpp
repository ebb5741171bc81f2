#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace kubexx::events {

/// The values of the most recently touched keys. Not thread-safe.
template <class V>
class EventLru {
 public:
  explicit EventLru(std::size_t limit) : limit_(limit == 0 ? 1 : limit) {}

  V* find(const std::string& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }
  /// Replaces what is there. The reference lives until the next put.
  V& put(const std::string& key, V value) {
    if (V* there = find(key)) return *there = std::move(value);
    if (index_.size() >= limit_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, std::move(value));
    index_.emplace(key, order_.begin());
    return order_.front().second;
  }
  void erase(const std::string& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    order_.erase(found->second);
    index_.erase(found);
  }
  std::size_t size() const noexcept { return index_.size(); }
  std::list<std::pair<std::string, V>>& entries() noexcept { return order_; }

 private:
  std::size_t limit_;
  std::list<std::pair<std::string, V>> order_;  // most recent first
  std::unordered_map<std::string, typename std::list<std::pair<std::string, V>>::iterator> index_;
};

}  // namespace kubexx::events
