#pragma once

#include <string_view>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::testkit {

/// A configuration with which the embedded server takes its caller for its admin.
rest::Config config(const apiserver::Server& server);
rest::Client client(const apiserver::Server& server, rest::ClientOptions options = {});

/// A small pod; "ns/name".
meta::Object make_pod(std::string_view key);
/// A ConfigMap with one entry, data.v.
meta::Object make_config_map(std::string_view key, std::string_view value = "");

}  // namespace kubexx::testkit
