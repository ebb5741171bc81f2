#include "kubexx/meta/json_path.hpp"

#include <string>

#include "base/internal/parse_number.hpp"

namespace kubexx::meta {
namespace {

std::string text(Value value) {
  if (const auto string = value.get_string()) return std::string(*string);
  if (const auto flag = value.get_bool()) return *flag ? "true" : "false";
  if (const auto number = value.get_int()) return std::to_string(*number);
  return {};
}

std::string_view unquote(std::string_view part) {
  if (part.size() >= 2 && (part.front() == '\'' || part.front() == '"') && part.back() == part.front())
    return part.substr(1, part.size() - 2);
  return part;
}

std::string_view trim(std::string_view part) {
  while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
  while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
  return part;
}

// "?(@.type=='Ready')"
bool passes(Value item, std::string_view filter) {
  filter.remove_prefix(1);
  if (filter.size() < 2 || filter.front() != '(' || filter.back() != ')') return false;
  filter = filter.substr(1, filter.size() - 2);
  const bool negated = filter.find("!=") != std::string_view::npos;
  const std::size_t at = filter.find(negated ? "!=" : "==");
  std::string_view left = trim(filter.substr(0, at));
  if (!left.starts_with('@')) return false;
  left.remove_prefix(1);
  const std::vector<Value> found = json_path(item, left);
  if (at == std::string_view::npos) return !found.empty();
  const std::string_view wanted = unquote(trim(filter.substr(at + 2)));
  return (!found.empty() && text(found.front()) == wanted) != negated;
}

void index_into(std::vector<Value>& values, std::string_view inside) {
  std::vector<Value> next;
  for (Value value : values) {
    if (inside == "*") {
      for (Value item : value.items()) next.push_back(item);
      for (const auto& [name, child] : value.entries()) next.push_back(child);
    } else if (inside.starts_with('?')) {
      for (Value item : value.items()) {
        if (passes(item, inside)) next.push_back(item);
      }
    } else if (inside.starts_with('\'') || inside.starts_with('"')) {
      if (const Value child = value[unquote(inside)]; child.exists()) next.push_back(child);
    } else {
      const auto parsed = parse_number<long>(inside);
      if (!parsed) continue;
      long index = *parsed;
      if (index < 0) index += static_cast<long>(value.size());
      if (index >= 0 && value[static_cast<std::size_t>(index)].exists())
        next.push_back(value[static_cast<std::size_t>(index)]);
    }
  }
  values = std::move(next);
}

}  // namespace

std::vector<Value> json_path(Value root, std::string_view path) {
  std::vector<Value> values{root};
  while (!path.empty() && !values.empty()) {
    if (path.front() == '[') {
      // Brackets inside quotes or filters nest.
      std::size_t depth = 0;
      std::size_t end = 0;
      char quote = 0;
      for (; end < path.size(); ++end) {
        if (quote) {
          if (path[end] == quote) quote = 0;
        } else if (path[end] == '\'' || path[end] == '"') {
          quote = path[end];
        } else if (path[end] == '[') {
          ++depth;
        } else if (path[end] == ']' && --depth == 0) {
          break;
        }
      }
      if (end >= path.size()) return {};
      index_into(values, trim(path.substr(1, end - 1)));
      path.remove_prefix(end + 1);
      continue;
    }
    if (path.front() == '.') {
      path.remove_prefix(1);
      continue;
    }
    std::string key;
    std::size_t end = 0;
    for (; end < path.size() && path[end] != '.' && path[end] != '['; ++end) {
      if (path[end] == '\\' && end + 1 < path.size()) ++end;
      key += path[end];
    }
    path.remove_prefix(end);
    std::vector<Value> next;
    for (Value value : values) {
      if (const Value child = value[key]; child.exists()) next.push_back(child);
    }
    values = std::move(next);
  }
  return values;
}

}  // namespace kubexx::meta
