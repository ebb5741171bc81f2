#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "kubexx/base/stop.hpp"
#include "kubexx/client/pager.hpp"

namespace kubexx::client {

/// The options for the page after this one.
void turn_to(ListOptions& options, const std::string& continue_token);

/// Begins to read a page; what it answers, or throws, comes to `done` on the executor.
void fetch_page(const Pager::AsyncPage& page, const ListOptions& options, const std::shared_ptr<Executor>& executor,
                UniqueFunction<void(Result<ObjectList>)> done);

/// Pages fetched ahead, one at a time: a full buffer occupies nobody.
class Prefetch : public std::enable_shared_from_this<Prefetch> {
 public:
  Prefetch(Pager::AsyncPage page, std::shared_ptr<Executor> executor, ListOptions first, std::size_t buffer);

  /// The next page; nothing after the last. Ask for one at a time.
  Async<Result<std::optional<ObjectList>>> next();
  /// Stops. Completes when no fetch is under way, and the pages are forgotten; last.
  Async<Result<void>> end();

 private:
  using Next = Result<std::optional<ObjectList>>;

  bool wants_fetch_locked() const;
  std::optional<Next> answer_locked();
  void go_on();
  void fetched(Result<ObjectList> page);

  const std::shared_ptr<Executor> executor_;
  const std::size_t buffer_;
  LinkedStop stop_;
  Pager::AsyncPage page_;  // of the fetch, as the next two
  meta::ListProgress progress_;
  ListOptions options_;
  std::mutex mutex_;
  std::deque<ObjectList> pages_;      // guarded by mutex_
  bool fetching_ = false;             // guarded by mutex_
  bool over_ = false;                 // guarded by mutex_; nothing more will be fetched
  std::optional<Error> error_;        // guarded by mutex_
  Async<Next>::Done asked_;           // guarded by mutex_; somebody waits for a page
  Async<Result<void>>::Done ending_;  // guarded by mutex_
};

}  // namespace kubexx::client
