#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/logs/log_streams.hpp"

namespace kubexx::logs {

/// Lines of one container on their way to the user, in one piece of memory.
class LineBatch {
 public:
  explicit LineBatch(std::shared_ptr<const LogOrigin> origin) : origin_(std::move(origin)) {}

  void add(WallTime time, std::string_view text, bool continues, bool after_gap) {
    entries_.push_back({time, text_.size(), text.size(), continues, after_gap});
    text_.append(text);
  }
  bool empty() const noexcept { return entries_.empty(); }
  std::size_t size() const noexcept { return entries_.size(); }
  LogLine line(std::size_t i) const {
    const Entry& entry = entries_[i];
    return {*origin_, entry.time, std::string_view(text_).substr(entry.at, entry.size), entry.continues,
            entry.after_gap};
  }
  /// What it holds.
  std::size_t bytes() const noexcept { return text_.size() + entries_.size() * sizeof(Entry); }

 private:
  struct Entry {
    WallTime time;
    std::size_t at;
    std::size_t size;
    bool continues;
    bool after_gap;
  };
  std::shared_ptr<const LogOrigin> origin_;
  std::string text_;
  std::vector<Entry> entries_;
};

}  // namespace kubexx::logs
