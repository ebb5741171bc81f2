#pragma once

#include <string_view>

// The version of the library, for programs and for the headers that kubexx-gen writes. CMake reads the numbers here.
#define KUBEXX_VERSION_MAJOR 0
#define KUBEXX_VERSION_MINOR 2
#define KUBEXX_VERSION_PATCH 0
/// The version of Kubernetes whose built-in types it has: `schema/kubernetes-<version>.json`.
#define KUBEXX_KUBERNETES_VERSION "1.36"

#define KUBEXX_DETAIL_TEXT(number) #number
#define KUBEXX_DETAIL_VERSION(a, b, c) KUBEXX_DETAIL_TEXT(a) "." KUBEXX_DETAIL_TEXT(b) "." KUBEXX_DETAIL_TEXT(c)
/// "0.2.0"
#define KUBEXX_VERSION KUBEXX_DETAIL_VERSION(KUBEXX_VERSION_MAJOR, KUBEXX_VERSION_MINOR, KUBEXX_VERSION_PATCH)

namespace kubexx {

/// The version of these headers, and of the Kubernetes that their types are of.
inline constexpr std::string_view kVersion = KUBEXX_VERSION;
inline constexpr std::string_view kKubernetesVersion = KUBEXX_KUBERNETES_VERSION;

}  // namespace kubexx
