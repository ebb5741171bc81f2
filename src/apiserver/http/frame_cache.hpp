#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "kubexx/apiserver/exchange.hpp"

namespace kubexx::apiserver {

/// The bytes of watch frames: made once for all the watchers that are to see the same, shared for as long as one of
/// them has not sent it, and counted. Not thread-safe; the bytes may be let go on any thread.
class FrameCache {
 public:
  struct Key {
    std::uint64_t version = 0;  ///< of the write that is shown
    std::uint64_t shape = 0;    ///< everything else that decides about the bytes ...
    std::int64_t moment = 0;    ///< ... and the second, where ages are shown
    friend bool operator==(const Key&, const Key&) = default;
  };

  template <class Make>
  SharedBytes get(const Key& key, Make&& make) {
    std::weak_ptr<const std::string>& known = known_[key];
    if (SharedBytes bytes = known.lock()) return bytes;
    SharedBytes bytes = count(std::forward<Make>(make)());
    peak_ = std::max(peak_, held());
    known = bytes;
    if (known_.size() >= sweep_at_) sweep();
    return bytes;
  }
  SharedBytes count(std::string bytes) const;  ///< for one watcher alone
  std::size_t held() const noexcept { return *held_; }
  /// The most that was held since this was asked before.
  std::size_t take_peak() { return std::exchange(peak_, held()); }
  void clear();  ///< nobody will ask for them again

 private:
  struct Counted;
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  void sweep();

  static constexpr std::size_t kFirstSweep = 1024;
  std::unordered_map<Key, std::weak_ptr<const std::string>, Hash> known_;
  std::size_t sweep_at_ = kFirstSweep;
  std::size_t peak_ = 0;
  std::shared_ptr<std::atomic<std::size_t>> held_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace kubexx::apiserver
