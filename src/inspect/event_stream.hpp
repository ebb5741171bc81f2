#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::inspect {

/// The open pages: each gets every message (server-sent events), as long as it reads them.
///
/// Every message is the whole of what it speaks of, so a page that is behind simply misses some: while it has more than
/// kBacklog unread bytes nothing is written to it, and one that stays behind for kPatience is cut off.
///
/// Threads: safe from any thread.
class EventStream {
 public:
  static constexpr std::size_t kBacklog = 256 << 10;
  static constexpr Duration kPatience = std::chrono::seconds(30);

  EventStream(std::size_t most, const Clock& clock) : most_(most), clock_(clock) {}

  /// Starts the stream with these fields and a first message. False: there are too many pages.
  bool open(const httpd::Responder& responder, httpd::HeaderFields fields, const std::string& first);
  void send(const std::string& message);
  std::size_t size();  ///< pages that are open
  std::size_t missed() const;

 private:
  struct Page {
    httpd::Responder responder;
    TimePoint behind_since{};
    bool behind = false;
  };

  const std::size_t most_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<Page> pages_;  // guarded by mutex_
  std::size_t missed_ = 0;   // guarded by mutex_; messages that were not written to a page
};

/// One message; `data` is a single line.
std::string sse_message(std::string_view event, std::string_view data);

}  // namespace kubexx::inspect
