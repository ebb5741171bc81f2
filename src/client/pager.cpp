#include "kubexx/client/pager.hpp"

#include <iterator>
#include <utility>

#include "client/page_source.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::client {
namespace {

/// A list under way, page after page.
class PagedReading : public std::enable_shared_from_this<PagedReading> {
 public:
  using Done = Async<Result<PagedList>>::Done;
  PagedReading(Pager::AsyncPage page, std::shared_ptr<Executor> executor, ListOptions first, bool full_list_if_expired,
               Done done)
      : page_(std::move(page)),
        executor_(std::move(executor)),
        first_(std::move(first)),
        options_(first_),
        full_list_if_expired_(full_list_if_expired),
        progress_(first_.limits),
        done_(std::move(done)) {}

  void next() {
    if (options_.stop.stop_requested()) return finish(Error::canceled("list"));
    fetch_page(page_, options_, executor_,
               [self = shared_from_this()](Result<ObjectList> page) { self->take(std::move(page)); });
  }

 private:
  void take(Result<ObjectList> page) {
    if (!page && all_.paginated && page.error().is_expired() && full_list_if_expired_) return read_whole();
    if (!page) return finish(page.error());
    if (auto more = progress_.page(page->items.size(), page->meta.continue_token); !more) return finish(more.error());
    const auto token = std::exchange(page->meta.continue_token, {});
    if (!all_.paginated) {
      all_.meta = std::move(page->meta);
      all_.items = std::move(page->items);
    } else {
      all_.items.insert(all_.items.end(), std::make_move_iterator(page->items.begin()),
                        std::make_move_iterator(page->items.end()));
    }
    if (token.empty()) return finish(std::move(all_));
    all_.paginated = true;
    all_.meta.remaining_item_count.reset();
    turn_to(options_, token);
    next();
  }

  void read_whole() {
    first_.limit = 0;
    first_.continue_token.clear();
    fetch_page(page_, first_, executor_, [self = shared_from_this()](Result<ObjectList> page) {
      if (!page) return self->finish(page.error());
      meta::ListProgress progress(self->first_.limits);  // of this list, which begins anew
      if (auto good = progress.page(page->items.size(), page->meta.continue_token); !good) {
        return self->finish(good.error());
      }
      self->finish(PagedList{std::move(*page), true});
    });
  }

  void finish(Result<PagedList> result) {
    auto done = std::move(done_);
    page_ = nullptr;  // it may hold a client, whose last owner is to be who waits for this
    executor_.reset();
    done(std::move(result));
  }

  Pager::AsyncPage page_;
  std::shared_ptr<Executor> executor_;
  ListOptions first_;
  ListOptions options_;
  const bool full_list_if_expired_;
  PagedList all_;
  meta::ListProgress progress_;
  Done done_;
};

/// A visit under way.
class PagedVisit : public std::enable_shared_from_this<PagedVisit> {
 public:
  using Done = Async<Result<void>>::Done;
  PagedVisit(std::shared_ptr<Prefetch> pages, std::stop_token stop, Pager::Each each, Done done)
      : pages_(std::move(pages)), stop_(std::move(stop)), each_(std::move(each)), done_(std::move(done)) {}

  void next() {
    pages_->next().start([self = shared_from_this()](Result<std::optional<ObjectList>> page) {
      if (!page) return self->finish(page.error());
      if (!*page) return self->finish({});
      if (auto visited = self->visit(**page); !visited) return self->finish(visited);
      self->next();
    });
  }

 private:
  Result<void> visit(const ObjectList& page) {
    for (const auto& item : page.items) {
      if (stop_.stop_requested()) return Error::canceled("list");
      try {
        if (auto done = each_(item); !done) return done;
      } catch (...) {
        return current_exception_as_error();
      }
    }
    return {};
  }

  void finish(Result<void> result) {
    pages_->end().start([self = shared_from_this(), result = std::move(result)](const Result<void>&) mutable {
      auto done = std::move(self->done_);
      self->each_ = nullptr;
      self->pages_.reset();
      done(std::move(result));
    });
  }

  std::shared_ptr<Prefetch> pages_;
  const std::stop_token stop_;
  Pager::Each each_;
  Done done_;
};

Pager::AsyncPage on_executor(Pager::Page page, const std::shared_ptr<Executor>& executor) {
  return [page = std::move(page), executor](const ListOptions& options) {
    using Reading = Async<Result<ObjectList>>;
    return Reading(executor, [page, how = options, on = executor.get()](Reading::Done done) mutable {
      on->post([page = std::move(page), how = std::move(how), done = std::move(done)]() mutable {
        const auto read = [&]() -> Result<ObjectList> {
          try {
            return page(how);
          } catch (...) {
            return current_exception_as_error();
          }
        };
        done(read());
      });
    });
  };
}

}  // namespace

Pager::Pager(const ResourceApi& api, PagerOptions options)
    : Pager([api](const ListOptions& page) { return api.list_async(page); }, api.client().handlers(), options) {
  fetching_on_ = api.client().executor();
}

Pager::Pager(AsyncPage page, std::shared_ptr<Executor> executor, PagerOptions options)
    : page_(std::move(page)), executor_(std::move(executor)), options_(options) {}

Pager::Pager(Page page, std::shared_ptr<Executor> executor, PagerOptions options)
    : Pager(on_executor(std::move(page), executor), executor, options) {}

ListOptions Pager::first_page(ListOptions options) const {
  if (options.limit <= 0) options.limit = options_.page_size;
  return options;
}

Async<Result<PagedList>> Pager::list_async(ListOptions options) const {
  return Async<Result<PagedList>>(executor_,
                                  [page = page_, executor = executor_, first = first_page(std::move(options)),
                                   whole = options_.full_list_if_expired](Async<Result<PagedList>>::Done done) mutable {
                                    const auto reading = std::make_shared<PagedReading>(
                                        std::move(page), executor, std::move(first), whole, std::move(done));
                                    executor->post([reading] { reading->next(); });
                                  })
      .needs(fetching_on_);
}

Result<PagedList> Pager::list(ListOptions options) const {
  return list_async(std::move(options)).wait();
}

Async<Result<void>> Pager::each_list_item_async(ListOptions options, Each each) const {
  return Async<Result<void>>(
             executor_,
             [pager = *this, options = std::move(options),
              each = std::move(each)](Async<Result<void>>::Done done) mutable {
               const auto stop = options.stop;
               auto pages = std::make_shared<Prefetch>(
                   pager.page_, pager.executor_, pager.first_page(std::move(options)), pager.options_.buffered_pages);
               std::make_shared<PagedVisit>(std::move(pages), stop, std::move(each), std::move(done))->next();
             })
      .needs(fetching_on_);
}

Result<void> Pager::each_list_item(ListOptions options, const Each& each) const {
  const auto stop = options.stop;
  const auto pages =
      std::make_shared<Prefetch>(page_, executor_, first_page(std::move(options)), options_.buffered_pages);
  struct End {
    Prefetch& pages;
    const std::shared_ptr<Executor>& fetching_on;
    ~End() { static_cast<void>(pages.end().needs(fetching_on).wait()); }
  } end{*pages, fetching_on_};
  while (true) {
    auto page = pages->next().needs(fetching_on_).wait();
    if (!page) return page.error();
    if (!*page) return {};
    for (const auto& item : (**page).items) {
      if (stop.stop_requested()) return Error::canceled("list");
      if (auto done = each(item); !done) return done;
    }
  }
}

}  // namespace kubexx::client
