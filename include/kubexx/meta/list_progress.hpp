#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::meta {

/// How much one list may be, all its pages together. A million objects stay far below, in pages of any sensible size.
struct ListLimits {
  std::size_t max_pages = 100'000;
  std::size_t max_objects = 5'000'000;
};

/// Accompanies one list through its pages, so that no server can make it endless. An Error is the end of the list:
///
/// - a continue token that this list had before, or a few empty pages in a row that go on: the server goes in circles;
/// - more pages or objects than the limits.
///
/// Threads: one at a time.
/// Errors: those above; after one the list is over, and so is this.
/// Example:
///
///     meta::ListProgress progress({.max_objects = 10'000});
///     if (auto more = progress.page(500, "token-of-the-next-page"); !more) complain(more.error());
class KUBEXX_EXPORT ListProgress {
 public:
  explicit ListProgress(ListLimits limits = {}) : limits_(limits) {}

  /// So many more objects of the page under way.
  Result<void> add(std::size_t objects = 1);
  /// The page under way is over. Without a token it was the last.
  Result<void> end_page(std::string_view continue_token);
  /// Both, for a page that came as a whole.
  Result<void> page(std::size_t objects, std::string_view continue_token);

 private:
  ListLimits limits_;
  std::size_t pages_ = 0;
  std::size_t objects_ = 0;
  std::size_t objects_before_ = 0;  // this page
  int empty_in_a_row_ = 0;
  std::unordered_set<std::size_t> tokens_;  // hashes: tokens are as long as a server likes
};

}  // namespace kubexx::meta
