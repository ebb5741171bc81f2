#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "kubexx/base/executor.hpp"
#include "kubexx/client/resource_api.hpp"

namespace kubexx::client {

struct PagerOptions {
  std::int64_t page_size = 500;
  bool full_list_if_expired = true;  ///< list() only: 410 on a later page is answered by one list without pages
  std::size_t buffered_pages = 10;   ///< each_list_item() only: pages fetched ahead; 0: none
};

struct PagedList : ObjectList {
  bool paginated = false;  ///< it took more than one page
};

/// Reads a large list in pages.
///
/// The version and its match are sent with the first page only; later ones are bound to it by their continue token.
/// A limit in the ListOptions stands in for the page size.
///
/// Threads: safe from any thread; every call blocks. Pages are fetched ahead on `executor`.
/// Stop: by ListOptions::stop; the answer is Canceled. ListOptions::timeout is that of one page.
class Pager {
 public:
  using Page = std::function<Result<ObjectList>(const ListOptions&)>;

  explicit Pager(const ResourceApi& api, PagerOptions options = {});
  Pager(Page page, std::shared_ptr<Executor> executor, PagerOptions options = {});

  /// Everything, with the metadata of the first page and no continue token.
  Result<PagedList> list(ListOptions options = {}) const;
  /// Calls `each` for every item, on this thread, while the next pages are fetched. Its Error ends it and is returned,
  /// as is 410: what was seen cannot be taken back, so there is no full list. Returns when no fetch is under way.
  Result<void> each_list_item(ListOptions options, const std::function<Result<void>(const meta::Object&)>& each) const;

 private:
  Page page_;
  std::shared_ptr<Executor> executor_;
  std::shared_ptr<Executor> fetching_on_;  // what a fetch waits for; null: nothing is known of that
  PagerOptions options_;
};

}  // namespace kubexx::client
