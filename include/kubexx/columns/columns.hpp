#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::columns {

/// What stands in a column.
using Cell = std::variant<std::string, std::int64_t, bool>;

/// One column of kubectl's table for a kind.
struct Column {
  std::string name = {};
  std::string type = "string";
  std::string format = {};
  int priority = 0;  ///< 1: only with -o wide
  std::string description = {};
};

/// Heads of columns, and how a row is made of an object.
struct Columns {
  std::vector<Column> columns = {};
  /// One cell per column.
  std::vector<Cell> (*row)(const meta::Object& object, WallTime now) = nullptr;
};

/// The columns that kubectl shows of a built-in resource; null: it has none of its own.
KUBEXX_EXPORT const Columns* find_columns(std::string_view group, std::string_view resource);

/// "5d3h", "2m30s": how kubectl shows the time since then. "<unknown>" for no time.
KUBEXX_EXPORT std::string age(std::string_view timestamp, WallTime now);

}  // namespace kubexx::columns
