#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/resource.hpp"

namespace kubexx::apiserver {

inline constexpr std::string_view kOpenapiProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The OpenAPI v2 document of the built-in types and of the custom ones among the resources, in the protobuf form that
/// kubectl reads: fields, types, required ones, merge keys and kinds; descriptions only of custom ones, no paths.
std::string openapi_v2(const std::vector<std::shared_ptr<const Resource>>& resources);

}  // namespace kubexx::apiserver
