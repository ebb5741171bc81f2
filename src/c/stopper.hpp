#pragma once

#include <stop_token>

#include "kubexx/c.h"

struct kubexx_stopper {
  std::stop_source source{};
};
