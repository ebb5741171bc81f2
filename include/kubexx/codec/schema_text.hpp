#pragma once

#include <string_view>

namespace kubexx::codec {

/// The facts of the Kubernetes API that this library was built with (schema/kubernetes-1.36.json), as JSON text. It is
/// part of the binary; the view never dangles.
std::string_view schema_json() noexcept;

}  // namespace kubexx::codec
