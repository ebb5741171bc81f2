#include "columns/rows.hpp"

#include <algorithm>

#include "base/internal/text.hpp"
#include "kubexx/meta/label_selector.hpp"

namespace kubexx::columns {

Column plain(std::string column) {
  return {std::move(column), "string", "", 0, ""};
}
Column wide(std::string column) {
  return {std::move(column), "string", "", 1, ""};
}
Column whole(std::string column) {
  return {std::move(column), "integer", "", 0, ""};
}
Column yes_or_no(std::string column) {
  return {std::move(column), "boolean", "", 0, ""};
}
Column named() {
  return {"Name", "string", "name", 0, ""};
}

std::string text(std::string_view value) {
  return std::string(value);
}
std::string or_none(std::string_view value, std::string_view none) {
  return std::string(value.empty() ? none : value);
}
std::string name(const Object& object) {
  return text(object.name());
}
std::string object_age(const Object& object, WallTime now) {
  return age(object.creation_timestamp(), now);
}

std::string container_field(Value pod_spec, std::string_view field) {
  std::vector<std::string> out;
  for (Value container : pod_spec["containers"].items()) out.push_back(text(container[field].string()));
  return joined(out);
}

std::string labels(Value map) {
  std::vector<std::string> out;
  for (const auto& [key, value] : map.entries()) out.push_back(text(key) + '=' + text(value.string()));
  std::sort(out.begin(), out.end());
  return or_none(joined(out));
}

std::string selector(Value value) {
  auto parsed = meta::LabelSelector::from_object(value);
  return parsed ? or_none(parsed->to_string()) : "<error>";
}

std::string number_or(Value value, std::string_view fallback) {
  if (const auto count = value.get_int()) return std::to_string(*count);
  return or_none(value.string(), fallback);
}

std::vector<std::string> texts(Value list) {
  std::vector<std::string> out;
  for (Value item : list.items()) out.push_back(text(item.string()));
  return out;
}

std::string some(const std::vector<std::string>& parts, std::size_t max) {
  if (parts.size() <= max) return joined(parts);
  const std::vector<std::string> first(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(max));
  return joined(first) + " + " + std::to_string(parts.size() - max) + " more...";
}

std::int64_t count(Value list) {
  return static_cast<std::int64_t>(list.size());
}

}  // namespace kubexx::columns
