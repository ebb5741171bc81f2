#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/columns/columns.hpp"

/// What the tables of kubectl's columns are written with.
namespace kubexx::columns {

using meta::Object;
using meta::Value;
using Row = std::vector<Cell>;
using ColumnTable = std::map<std::pair<std::string_view, std::string_view>, Columns>;  // by group and resource

void add_core_columns(ColumnTable& out);
void add_workload_columns(ColumnTable& out);
void add_network_columns(ColumnTable& out);
void add_storage_columns(ColumnTable& out);
void add_policy_columns(ColumnTable& out);

Column plain(std::string column);
Column wide(std::string column);
Column whole(std::string column);
Column yes_or_no(std::string column);
Column named();

std::string text(std::string_view value);
std::string or_none(std::string_view value, std::string_view none = "<none>");
std::string name(const Object& object);
std::string object_age(const Object& object, WallTime now);
/// The texts of a list.
std::vector<std::string> texts(Value list);
/// The first `max` of them, and how many more there are.
std::string some(const std::vector<std::string>& parts, std::size_t max);
/// One field of each container of a pod.
std::string container_field(Value pod_spec, std::string_view field);
std::string labels(Value map);
std::string selector(Value value);
std::string number_or(Value value, std::string_view fallback);
std::int64_t count(Value list);

}  // namespace kubexx::columns
