#pragma once

#include <string_view>

#include "kubexx/base/export.hpp"

namespace kubexx::codec {

/// The facts of the Kubernetes API that this library was built with (schema/kubernetes-1.36.json), as JSON text. It is
/// unpacked when it is first asked for, and stays; the view never dangles.
KUBEXX_EXPORT std::string_view schema_json();

}  // namespace kubexx::codec
