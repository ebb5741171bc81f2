#pragma once

#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::app {

/// A printer column of a custom resource.
struct CustomColumn {
  std::string name;
  std::string type;
  std::string path;  ///< JSONPath
  bool wide = false;
};

/// From the resource's definition; where that may not be read, from the server's Table form. Empty: it has none, or
/// they are not to be had.
std::vector<CustomColumn> custom_columns(const rest::Client& client, const client::ApiResource& resource);

std::string custom_cell(const CustomColumn& column, const meta::Object& object, WallTime now);

}  // namespace kubexx::app
