#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/columns.hpp"
#include "kubexx/store/snapshot.hpp"

namespace kubexx::inspect {

/// Which rows of a resource's table are wanted.
struct RowQuery {
  /// Words that all must occur, in any case, in key, cells or labels ("key=value").
  std::string filter = {};
  std::string sort = {};  ///< a column, "Namespace", "Name" or "Age"; empty: by key
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

/// The part of the table that is in sight. Rows outside of it are neither sorted nor written.
RowWindow find_rows(const store::Snapshot& snapshot, const std::vector<Column>& columns, const RowQuery& query);
std::string to_json(const RowWindow& window, const std::vector<Column>& columns);

}  // namespace kubexx::inspect
