#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::inspect {

/// A column of a resource's table, between name and age.
struct Column {
  std::string_view name;
  void (*append)(const meta::Object& object, std::string& out);
  bool number = false;  ///< sorts by its value
};

/// What people want to see of the resource; for those not known, what objects usually have.
const std::vector<Column>& columns_of(const meta::GroupVersionResource& resource);

}  // namespace kubexx::inspect
