#pragma once

#include <memory>
#include <string>

#include "c/loop.hpp"
#include "kubexx/c.h"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/rest/client.hpp"

struct kubexx_client {
  std::shared_ptr<kubexx::c::LoopUse> loop;  // null: it has threads; goes last
  kubexx::rest::Client client;
};

namespace kubexx::c {

/// "v1/pods", "apps/v1/deployments".
meta::GroupVersionResource parse_resource(const char* text);

}  // namespace kubexx::c
