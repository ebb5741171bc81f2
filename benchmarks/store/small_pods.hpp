#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/row.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_builder.hpp"

/// The objects of the rows "without a server": small pods with name, namespace, two labels and a version.
namespace kubexx::bench {

inline constexpr std::size_t kPods = 1'000'000;
inline constexpr std::size_t kNamespaces = 1'000;  // so 1,000 pods have one
inline constexpr std::size_t kPodsPerApp = 10;

inline std::string namespace_of(std::size_t i) {
  return "namespace-" + std::to_string(i % kNamespaces);
}
inline std::string key_of(std::size_t i) {
  return namespace_of(i) + "/pod-" + std::to_string(i);
}
inline std::string app_of(std::size_t i) {
  return "app-" + std::to_string(i / kPodsPerApp);
}

inline std::vector<meta::Object> make_pods(std::size_t count, int version, std::size_t distinct = kPods) {
  std::vector<meta::Object> pods;
  pods.reserve(count);
  meta::ObjectBuilder builder;
  const auto field = [&](std::string_view key, std::string_view value) {
    builder.key(key);
    builder.string(value);
  };
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = n % distinct;
    builder.begin_map();
    field("apiVersion", "v1");
    field("kind", "Pod");
    builder.key("metadata");
    builder.begin_map();
    field("name", "pod-" + std::to_string(i));
    field("namespace", namespace_of(i));
    builder.key("labels");
    builder.begin_map();
    field("app", app_of(i));
    field("tier", "backend");
    builder.end_map();
    field("resourceVersion", std::to_string(static_cast<std::size_t>(version) * kPods + n));
    builder.end_map();
    builder.end_map();
    pods.push_back(builder.finish().value());
  }
  return pods;
}

}  // namespace kubexx::bench
