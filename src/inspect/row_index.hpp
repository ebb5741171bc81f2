#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inspect/columns.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/store/snapshot.hpp"

namespace kubexx::inspect {

/// Which rows of a resource's table are wanted.
struct RowQuery {
  /// Words that all must occur, in any case, in key, cells or labels ("key=value").
  std::string filter = {};
  std::string sort = {};  ///< a column, "Name" or "Age"; anything else: by namespace and name
  bool descending = false;
  std::size_t offset = 0;
  std::size_t limit = 100;
};

struct RowWindow {
  std::uint64_t version = 0;  ///< of the store
  std::size_t total = 0;
  std::size_t matched = 0;
  std::size_t offset = 0;
  std::vector<meta::Object> objects;
};

/// The objects of a store in the order of their keys, with the text that filters look at, so that a hundred thousand
/// are searched while somebody types. A change of the store costs as much as the pages that it changed; the text is as
/// large as names, cells and labels, and goes when nobody asked for a minute.
///
/// Threads: safe from any thread; questions about one store wait for each other.
class RowIndex {
 public:
  static constexpr Duration kIdle = std::chrono::minutes(1);

  explicit RowIndex(const std::vector<Column>& columns) : columns_(columns) {}
  RowWindow find(const store::Snapshot& snapshot, const RowQuery& query, TimePoint now);
  void forget_unused(TimePoint now);
  const std::vector<Column>& columns() const noexcept { return columns_; }

 private:
  struct Page {
    std::string text;
    std::size_t size = 0;
    bool live = true;
  };
  struct Row {
    const meta::Object* object;  // in a page of snapshot_
    std::string_view namespace_;
    std::string_view name;
    const Page* page;
    std::uint32_t begin;  // of its text
    std::uint32_t length;
    std::string_view text() const { return std::string_view(page->text).substr(begin, length); }
  };
  using Rows = std::vector<Row>;

  void refresh(const store::Snapshot& snapshot);
  std::unique_ptr<Page> read_page(std::span<const meta::Object> objects, Rows& into) const;
  void answer(const RowQuery& query);
  void order(const RowQuery& query);
  static bool by_key(const Row& a, const Row& b);

  const std::vector<Column>& columns_;
  std::mutex mutex_;  // guards all below
  store::Snapshot snapshot_;
  bool filled_ = false;
  std::unordered_map<const meta::Object*, std::unique_ptr<Page>> pages_;  // by their first object's place
  Rows rows_;                                                             // by key
  std::vector<const Row*> found_;                                         // the answer to asked_, empty filter included
  RowQuery asked_;
  bool answered_ = false;  // found_ is of rows_ as they are
  TimePoint used_{};
};

std::string to_json(const RowWindow& window, const std::vector<Column>& columns);

}  // namespace kubexx::inspect
