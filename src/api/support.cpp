#include "kubexx/api/support.hpp"

namespace kubexx::api {

Result<meta::Object> checked(meta::Object object, std::string_view api_version, std::string_view kind) {
  if (object.api_version() == api_version && object.kind() == kind) return object;
  return Error::decode("expected " + std::string(kind) + " of " + std::string(api_version) + ", found \"" +
                       std::string(object.kind().substr(0, 100)) + "\" of \"" +
                       std::string(object.api_version().substr(0, 100)) + "\"");
}

}  // namespace kubexx::api
