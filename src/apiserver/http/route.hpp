#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/list_options.hpp"

namespace kubexx::apiserver {

/// The query of a request, decoded; a key given twice keeps its first value, as the API takes it.
class Query {
 public:
  static Query parse(std::string_view text);
  std::string_view get(std::string_view key) const noexcept;
  bool has(std::string_view key) const noexcept { return values_.find(key) != values_.end(); }
  /// Go's notion of true for a parameter: present and not "false" or "0".
  bool flag(std::string_view key) const noexcept;
  Result<std::optional<std::int64_t>> number(std::string_view key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What a path and method ask for.
struct Route {
  std::string path;
  Query query;
  bool resource_request = false;  ///< below /api/<version>/ or /apis/<group>/<version>/
  std::string group;
  std::string version;
  std::string namespace_;
  std::string resource;
  std::string name;
  std::string subresource;
  std::string verb;  ///< get, list, watch, create, update, patch, delete, deletecollection
};

Route parse_route(std::string_view method, std::string_view target);

/// The list options of a query; a number that is none is a 400.
Result<meta::ListOptions> list_options(const Query& query);
/// 422 for combinations the API forbids.
Result<void> check_list_options(const meta::ListOptions& options);

}  // namespace kubexx::apiserver
