#include "custom_columns.hpp"

#include <optional>

#include "flags.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/columns/columns.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/json_path.hpp"

namespace kubexx::app {
namespace {

using meta::Value;
constexpr Duration kPatience = std::chrono::seconds(5);

/// Nothing: the definition is not to be had.
std::optional<std::vector<CustomColumn>> from_definition(const rest::Client& client,
                                                         const client::ApiResource& resource) {
  const client::ResourceApi definitions(client, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  client::GetOptions options;
  options.stop = stop_on_signals();
  options.timeout = kPatience;
  const auto definition = definitions.get(resource.resource.group_resource().to_string(), options);
  if (!definition) return std::nullopt;
  std::vector<CustomColumn> columns;
  for (Value version : (*definition)["spec"]["versions"].items()) {
    if (version["name"].string() != resource.resource.version) continue;
    for (Value column : version["additionalPrinterColumns"].items()) {
      columns.push_back({std::string(column["name"].string()), std::string(column["type"].string()),
                         std::string(column["jsonPath"].string()), column["priority"].int_or(0) > 0});
    }
  }
  return columns;
}

/// A Table has no paths; but a column that was not described otherwise is described by its own.
std::vector<CustomColumn> from_table(const rest::Client& client, const client::ApiResource& resource) {
  constexpr std::string_view kPath = "(in JSONPath format): ";
  std::vector<CustomColumn> columns;
  rest::Request request;
  request.path = {resource.resource, resource.namespaced ? client.config().default_namespace : "", "", ""};
  request.query = {{"limit", "1"}};
  request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  auto options = until_signal();
  options.timeout = kPatience;
  const auto answer = client.send(request, options);
  if (!answer) return columns;
  const auto table = answer->object();
  if (!table) return columns;
  for (Value column : (*table)["columnDefinitions"].items()) {
    const std::string_view description = column["description"].string();
    const auto at = description.find(kPath);
    if (at == std::string_view::npos) continue;
    columns.push_back({std::string(column["name"].string()), std::string(column["type"].string()),
                       std::string(description.substr(at + kPath.size())), column["priority"].int_or(0) > 0});
  }
  return columns;
}

}  // namespace

std::vector<CustomColumn> custom_columns(const rest::Client& client, const client::ApiResource& resource) {
  auto columns = from_definition(client, resource);
  return columns ? *columns : from_table(client, resource);
}

std::string custom_cell(const CustomColumn& column, const meta::Object& object, WallTime now) {
  const auto found = meta::json_path(object.root(), column.path);
  if (found.empty() || found.front().is_null()) return "";  // as kubectl shows it
  if (column.type == "date") return columns::age(found.front().string(), now);
  std::string joined;
  for (const Value value : found) {
    if (!joined.empty()) joined += ',';
    joined += value.is_string() ? std::string(value.string()) : meta::to_json(value);
  }
  return joined;
}

}  // namespace kubexx::app
