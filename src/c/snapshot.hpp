#pragma once

#include "kubexx/c.h"
#include "kubexx/store/snapshot.hpp"

struct kubexx_snapshot {
  kubexx::store::Snapshot snapshot{};
};
