#pragma once

#include <memory>

#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/apiserver/faults.hpp"

namespace kubexx::apiserver {

/// A writer that damages the body on its way: cuts it after some bytes, flips one.
std::shared_ptr<ResponseWriter> fault_writer(std::shared_ptr<ResponseWriter> inner, const Fault& fault);

}  // namespace kubexx::apiserver
