#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubexx::client {

using Query = std::vector<std::pair<std::string, std::string>>;

// What is empty, absent or false is not sent.
inline void add(Query& query, std::string_view name, std::string_view value) {
  if (!value.empty()) query.emplace_back(name, value);
}

inline void add(Query& query, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) query.emplace_back(name, std::to_string(*value));
}

/// Of a bool alone: a literal would rather become one than a string_view.
inline void add(Query& query, std::string_view name, std::same_as<bool> auto value) {
  if (value) query.emplace_back(name, "true");
}

}  // namespace kubexx::client
