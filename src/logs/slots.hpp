#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>

#include "logs/log_source.hpp"

namespace kubexx::logs {

/// Who may have a request open: a few at once, the others in order of arrival. Of one strand.
class Slots {
 public:
  explicit Slots(std::size_t most) : most_(most) {}

  void add(const std::shared_ptr<LogSource>& source) { waiting_.push_back(source); }
  void leave(const LogSource& source) {
    holders_.erase(&source);
    std::erase_if(waiting_, [&](const auto& each) { return each.get() == &source; });
  }
  /// The next one that has its turn now; null: nobody, or no slot is left.
  std::shared_ptr<LogSource> next() {
    if (waiting_.empty() || holders_.size() >= most_) return nullptr;
    auto source = std::move(waiting_.front());
    waiting_.pop_front();
    holders_.insert(source.get());
    return source;
  }
  std::size_t held() const noexcept { return holders_.size(); }
  std::size_t waiting() const noexcept { return waiting_.size(); }

 private:
  const std::size_t most_;
  std::set<const LogSource*> holders_;
  std::deque<std::shared_ptr<LogSource>> waiting_;
};

}  // namespace kubexx::logs
