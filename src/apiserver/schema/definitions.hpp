#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

inline constexpr std::string_view kDefinitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";
/// Who approved a definition in a group of Kubernetes itself.
inline constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";
bool is_protected_group(std::string_view group);

void default_definition(meta::Draft& draft);
std::vector<ErrorCause> validate_definition(const meta::Object& definition);

}  // namespace kubexx::apiserver
