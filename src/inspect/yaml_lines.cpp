#include "inspect/yaml_lines.hpp"

#include <algorithm>
#include <unordered_set>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"
#include "meta/internal/json_pointer.hpp"

namespace kubexx::inspect {
namespace {

using meta::Object;
using meta::Value;

constexpr std::size_t kMostPaths = 1000;
constexpr std::size_t kLongestBefore = 200;
constexpr std::string_view kApplied = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";

std::string pointer_to(std::string parent, std::string_view key) {
  meta::detail::append_token(parent, key);
  return parent;
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string key_text(std::string_view key) {
  std::string json;
  meta::append_json_string(json, key);
  const auto value = meta::parse_json(json);
  auto text = value ? trimmed(meta::to_yaml(*value)) : json;
  return text.find('\n') == std::string::npos ? text : json;  // JSON's quotes are YAML's too
}

class Renderer {
 public:
  Renderer(const Object& object, const Object& before, bool reveal) : before_(before) {
    view_.secret = object.kind() == "Secret" && object.api_version() == "v1";
    mask_ = view_.secret && !reveal;
    if (!before) return;
    for (auto& path : meta::diff_paths(before.root(), object.root(), kMostPaths)) changed_.insert(std::move(path));
  }

  YamlView render(const Object& object) {
    block(object.root(), "", "", false);
    return std::move(view_);
  }

 private:
  bool masked(std::string_view pointer) const {
    return mask_ && (pointer.starts_with("/data/") || pointer.starts_with("/stringData/") || pointer == kApplied);
  }

  /// The entries of a map or list, each beginning on a line of its own. `lead` replaces the first line's indentation.
  void block(Value value, const std::string& pointer, const std::string& indent, bool changed) {
    std::size_t index = 0;
    if (value.is_list()) {
      for (const Value item : value.items()) entry("-", item, pointer + "/" + std::to_string(index++), indent, changed);
    } else if (value.is_map()) {
      for (const auto& [key, item] : value.entries()) {
        entry(key_text(key) + ":", item, pointer_to(pointer, key), indent, changed);
      }
    } else {
      entry("", value, pointer, indent, changed);
    }
  }

  void entry(const std::string& head, Value value, const std::string& pointer, const std::string& indent,
             bool changed) {
    changed = changed || changed_.contains(pointer);
    const auto start = take_lead(indent);
    if (masked(pointer)) return scalar(start + head, "********", pointer, indent, changed);
    if ((!value.is_map() && !value.is_list()) || value.empty()) {
      return scalar(start + head, trimmed(meta::to_yaml(value)), pointer, indent, changed);
    }
    if (head == "-") {  // its first entry stands on the same line
      lead_ = start + "- ";
      return block(value, pointer, indent + "  ", changed);
    }
    line(start + head, changed);
    block(value, pointer, value.is_list() ? indent : indent + "  ", changed);
  }

  void scalar(const std::string& head, std::string text, const std::string& pointer, const std::string& indent,
              bool changed) {
    std::size_t begin = 0;
    for (bool first = true; begin <= text.size(); first = false) {
      const auto end = std::min(text.find('\n', begin), text.size());
      const auto part = text.substr(begin, end - begin);
      begin = end + 1;
      if (first) {
        line(head + (head.empty() || part.empty() ? "" : " ") + part, changed);
        if (changed && !masked(pointer)) view_.lines.back().was = text_before(pointer);
      } else {
        line(part.empty() ? "" : indent + (part.starts_with("  ") ? "" : "  ") + part, changed);
      }
    }
  }

  std::string text_before(const std::string& pointer) const {
    const Value value = before_.at(pointer);
    if (!value || value.is_map() || value.is_list()) return {};
    auto text = trimmed(meta::to_yaml(value));
    if (text.size() > kLongestBefore) text = text.substr(0, kLongestBefore) + " ...";
    return text;
  }

  void line(std::string text, bool changed) { view_.lines.push_back({std::move(text), changed}); }

  std::string take_lead(const std::string& indent) {
    auto lead = lead_.empty() ? indent : lead_;
    lead_.clear();
    return lead;
  }

  const Object& before_;
  YamlView view_;
  bool mask_ = false;
  std::unordered_set<std::string> changed_;
  std::string lead_;  // what the next line begins with instead of its indentation
};

}  // namespace

YamlView render_yaml(const meta::Object& object, const meta::Object& before, bool reveal) {
  return Renderer(object, before, reveal).render(object);
}

}  // namespace kubexx::inspect
