#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kubexx::inspect {

/// The path and the query of a request, unescaped. Of a parameter that is given twice the last counts, or all of them.
struct Target {
  std::string path;
  std::multimap<std::string, std::string, std::less<>> query;

  static Target parse(std::string_view text);
  std::string_view text(std::string_view name) const;  ///< empty when absent
  std::vector<std::string> all(std::string_view name) const;
  bool has(std::string_view name) const { return query.contains(name); }
  std::size_t number(std::string_view name, std::size_t fallback, std::size_t most) const;
  bool flag(std::string_view name) const { return text(name) == "1"; }
};

}  // namespace kubexx::inspect
