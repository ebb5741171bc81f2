#pragma once

#include "kubexx/c.h"
#include "kubexx/rest/config.hpp"

struct kubexx_config {
  kubexx::rest::Config config{};
};
