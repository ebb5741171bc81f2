#pragma once

#include <string>
#include <string_view>

namespace kubexx::apiserver {

inline constexpr std::string_view kOpenapiProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The OpenAPI v2 document of the built-in types in the protobuf form that kubectl reads: fields, types, required ones,
/// merge keys and kinds; no descriptions, no paths. Made at first use.
const std::string& openapi_v2();

}  // namespace kubexx::apiserver
