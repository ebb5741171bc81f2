#pragma once

#include "apiserver/core_impl.hpp"

namespace kubexx::apiserver {

/// The control path: POST {"action": ..., ...}; faults that last stay until {"action":"clear"}.
Result<Answer> serve_control(Core::Impl& core, Call& call);

}  // namespace kubexx::apiserver
