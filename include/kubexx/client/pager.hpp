#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "kubexx/base/async.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/client/resource_api.hpp"

namespace kubexx::client {

/// How large pages are, and what becomes of a list that expires between two of them.
struct PagerOptions {
  std::int64_t page_size = 500;
  bool full_list_if_expired = true;  ///< list() only: 410 on a later page is answered by one list without pages
  std::size_t buffered_pages = 10;   ///< each_list_item() only: pages fetched ahead; 0: none
};

/// A list that may have taken several pages.
struct PagedList : ObjectList {
  bool paginated = false;  ///< it took more than one page
};

/// Reads a large list in pages.
///
/// The version and its match are sent with the first page only; later ones are bound to it by their continue token.
/// A limit in the ListOptions stands in for the page size.
///
/// Threads: safe from any thread. Operations, and the visitor of each_list_item_async(), run on `executor`; for pages
/// of a ResourceApi that is its client's executor for code that may block.
/// Stop: by ListOptions::stop; the answer is Canceled. ListOptions::timeout is that of one page.
/// Errors: what a page answers, a list beyond ListOptions::limits, and what `each` returns. What `each` or a page
/// function throws becomes an Error; from each_list_item() what `each` throws comes out.
/// Example:
///
///     client::Pager pager(pods.untyped(), {.page_size = 100});
///     auto seen = pager.each_list_item({.stop = stop}, [](const meta::Object& pod) -> Result<void> {
///       greet(pod.name());
///       return {};
///     });
class KUBEXX_EXPORT Pager {
 public:
  /// Fetches a page; and what is called for each object.
  using Page = std::function<Result<ObjectList>(const ListOptions&)>;
  using AsyncPage = std::function<Async<Result<ObjectList>>(const ListOptions&)>;
  using Each = std::function<Result<void>(const meta::Object&)>;

  explicit Pager(const ResourceApi& api, PagerOptions options = {});
  Pager(AsyncPage page, std::shared_ptr<Executor> executor, PagerOptions options = {});
  /// Of a function that blocks: it runs on `executor`, never twice at a time.
  Pager(Page page, std::shared_ptr<Executor> executor, PagerOptions options = {});

  /// Everything, with the metadata of the first page and no continue token.
  Async<Result<PagedList>> list_async(ListOptions options = ListOptions()) const;
  Result<PagedList> list(ListOptions options = {}) const;  ///< blocks
  /// Calls `each` for every item, in order, while the next pages are fetched. Its Error ends it and is the result, as
  /// is 410: what was seen cannot be taken back, so there is no full list. Completes when no fetch is under way.
  Async<Result<void>> each_list_item_async(ListOptions options, Each each) const;
  /// Blocks, and calls `each` on this thread.
  Result<void> each_list_item(ListOptions options, const Each& each) const;

 private:
  ListOptions first_page(ListOptions options) const;

  AsyncPage page_;
  std::shared_ptr<Executor> executor_;
  std::shared_ptr<Executor> fetching_on_;  // where the pages complete; null: nothing is known of that
  PagerOptions options_;
};

}  // namespace kubexx::client
