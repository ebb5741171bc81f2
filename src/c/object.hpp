#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kubexx/c.h"
#include "kubexx/meta/object.hpp"

struct kubexx_object {
  kubexx::meta::Object object{};
};

struct kubexx_list {
  std::vector<kubexx_object> objects{};
};

namespace kubexx::c {

/// For the caller.
inline kubexx_list* as_list(std::vector<meta::Object> objects) {
  auto list = std::make_unique<kubexx_list>();
  list->objects.reserve(objects.size());
  for (auto& each : objects) list->objects.push_back({std::move(each)});
  return list.release();
}

}  // namespace kubexx::c
