#include "kubexx/client/pager.hpp"

#include <deque>
#include <mutex>
#include <utility>

#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/stop.hpp"

namespace kubexx::client {
namespace {

void turn_to(ListOptions& options, const std::string& continue_token) {
  options.continue_token = continue_token;
  options.resource_version.clear();
  options.resource_version_match.clear();
}

/// Pages fetched ahead, one at a time, each by a task of its own: a full buffer occupies no thread.
class Prefetch : public std::enable_shared_from_this<Prefetch> {
 public:
  Prefetch(Pager::Page page, std::shared_ptr<Executor> executor, std::shared_ptr<Executor> fetching_on,
           ListOptions first, std::size_t buffer)
      : page_(std::move(page)),
        executor_(std::move(executor)),
        fetching_on_(std::move(fetching_on)),
        buffer_(buffer),
        stop_({first.stop}),
        progress_(first.limits),
        options_(std::move(first)) {
    options_.stop = stop_.token();
  }

  kubexx::detail::Awaited awaited() const { return {executor_.get(), fetching_on_.get()}; }

  /// The next page; nothing after the last.
  Result<std::optional<ObjectList>> next() {
    std::unique_lock lock(mutex_);
    if (pages_.empty() && !over_ && !fetching_) fetch();
    const auto met = changed_.wait(awaited(), lock, [this] { return !pages_.empty() || over_; }, stop_.token());
    if (!met) return met.error();
    if (stop_.token().stop_requested()) return Error::canceled("list");
    if (pages_.empty()) {
      if (error_) return *error_;
      return std::optional<ObjectList>();
    }
    auto page = std::move(pages_.front());
    pages_.pop_front();
    if (!over_ && !fetching_ && pages_.size() < buffer_) fetch();
    return std::optional<ObjectList>(std::move(page));
  }

  void end() {
    stop_.request_stop();
    std::unique_lock lock(mutex_);
    over_ = true;
    const auto met = changed_.wait(awaited(), lock, [this] { return !fetching_; });
    if (!met) report_error(met.error(), "pager");
  }

 private:
  void fetch() {
    fetching_ = true;
    executor_->post([self = shared_from_this()] { self->fetch_one(); });
  }

  void fetch_one() {
    auto page = page_(options_);  // only one runs, so nobody else touches the options and the progress
    if (page) {
      if (auto more = progress_.page(page->items.size(), page->meta.continue_token); !more) page = more.error();
    }
    const std::lock_guard lock(mutex_);
    fetching_ = false;
    if (page) {
      over_ = over_ || page->meta.continue_token.empty();
      turn_to(options_, page->meta.continue_token);
      pages_.push_back(std::move(*page));
      if (!over_ && pages_.size() < buffer_) fetch();
    } else {
      over_ = true;
      error_ = page.error();
    }
    changed_.notify_all();
  }

  const Pager::Page page_;
  const std::shared_ptr<Executor> executor_;
  const std::shared_ptr<Executor> fetching_on_;
  const std::size_t buffer_;
  LinkedStop stop_;
  meta::ListProgress progress_;
  ListOptions options_;
  std::mutex mutex_;
  kubexx::detail::DrivingCondition changed_;
  std::deque<ObjectList> pages_;  // guarded by mutex_
  bool fetching_ = false;         // guarded by mutex_
  bool over_ = false;             // guarded by mutex_
  std::optional<Error> error_;    // guarded by mutex_
};

}  // namespace

Pager::Pager(const ResourceApi& api, PagerOptions options)
    : Pager([api](const ListOptions& page) { return api.list(page); }, api.client().handlers(), options) {
  fetching_on_ = api.client().executor();
}

Pager::Pager(Page page, std::shared_ptr<Executor> executor, PagerOptions options)
    : page_(std::move(page)), executor_(std::move(executor)), options_(options) {}

Result<PagedList> Pager::list(ListOptions options) const {
  if (options.limit <= 0) options.limit = options_.page_size;
  const auto first = options;
  PagedList all;
  meta::ListProgress progress(options.limits);
  while (true) {
    if (options.stop.stop_requested()) return Error::canceled("list");
    auto page = page_(options);
    if (!page && all.paginated && page.error().is_expired() && options_.full_list_if_expired) {
      auto whole = first;
      whole.limit = 0;
      whole.continue_token.clear();
      page = page_(whole);
      if (!page) return page.error();
      return PagedList{std::move(*page), true};
    }
    if (!page) return page.error();
    if (auto more = progress.page(page->items.size(), page->meta.continue_token); !more) return more.error();
    const auto token = std::exchange(page->meta.continue_token, {});
    if (!all.paginated) {
      all.meta = std::move(page->meta);
      all.items = std::move(page->items);
    } else {
      all.items.insert(all.items.end(), std::make_move_iterator(page->items.begin()),
                       std::make_move_iterator(page->items.end()));
    }
    if (token.empty()) return all;
    all.paginated = true;
    all.meta.remaining_item_count.reset();
    turn_to(options, token);
  }
}

Result<void> Pager::each_list_item(ListOptions options,
                                   const std::function<Result<void>(const meta::Object&)>& each) const {
  if (options.limit <= 0) options.limit = options_.page_size;
  const auto stop = options.stop;
  const auto pages =
      std::make_shared<Prefetch>(page_, executor_, fetching_on_, std::move(options), options_.buffered_pages);
  if (auto possible = pages->awaited().possible(); !possible) return possible;
  struct End {
    Prefetch& pages;
    ~End() { pages.end(); }
  } end{*pages};
  while (true) {
    auto page = pages->next();
    if (!page) return page.error();
    if (!*page) return {};
    for (const auto& item : (**page).items) {
      if (stop.stop_requested()) return Error::canceled("list");
      if (auto done = each(item); !done) return done;
    }
  }
}

}  // namespace kubexx::client
