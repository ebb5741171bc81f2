#pragma once

#include "kubexx/meta/gvk.hpp"

namespace kubexx::test {

inline const meta::GroupVersionResource kFoos{"samplecontroller.k8s.io", "v1alpha1", "foos"};
inline const meta::GroupVersionResource kDeployments{"apps", "v1", "deployments"};
inline const meta::GroupVersionResource kEvents{"", "v1", "events"};

}  // namespace kubexx::test
