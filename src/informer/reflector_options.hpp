#pragma once

#include "kubexx/informer/options.hpp"

namespace kubexx::informer {

/// What the options of an informer say of its list and watch.
reflector::ReflectorOptions reflector_options(const InformerOptions& options);

}  // namespace kubexx::informer
