#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::test {

struct PodSpec {
  std::string namespace_ = "default";
  std::string name = {};
  std::string version = "1";
  std::string uid = {};  ///< empty: "uid-" and the name
  std::vector<std::pair<std::string, std::string>> labels = {};
};

/// A small pod: what the queues and stores look at.
inline meta::Object make_pod(const PodSpec& spec) {
  meta::ObjectBuilder builder;
  const auto field = [&](std::string_view key, std::string_view value) {
    builder.key(key);
    builder.string(value);
  };
  builder.begin_map();
  field("apiVersion", "v1");
  field("kind", "Pod");
  builder.key("metadata");
  builder.begin_map();
  field("name", spec.name);
  if (!spec.namespace_.empty()) field("namespace", spec.namespace_);
  field("resourceVersion", spec.version);
  field("uid", spec.uid.empty() ? "uid-" + spec.name : spec.uid);
  if (!spec.labels.empty()) {
    builder.key("labels");
    builder.begin_map();
    for (const auto& [key, value] : spec.labels) field(key, value);
    builder.end_map();
  }
  builder.end_map();
  builder.end_map();
  return builder.finish().value();
}

/// "default/name" at a version.
inline meta::Object pod(std::string name, int version = 1) {
  return make_pod({.name = std::move(name), .version = std::to_string(version)});
}

/// An object without metadata, as a transform may leave it.
inline meta::Object bare_object(std::string_view text) {
  meta::ObjectBuilder builder;
  builder.begin_map();
  builder.key("value");
  builder.string(text);
  builder.end_map();
  return builder.finish().value();
}

inline std::vector<std::string> names(const std::vector<meta::Object>& objects) {
  std::vector<std::string> all;
  for (const meta::Object& object : objects) all.emplace_back(object.name());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace kubexx::test
