#pragma once

#include <string_view>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::testkit {

/// A configuration with which the embedded server takes its caller for its admin.
///
/// Threads: safe from any thread.
/// Errors: client() throws kubexx::Exception when no client can be made, and the builders when the key is none.
/// Example:
///
///     apiserver::Server server;
///     client::Api<Pod> pods(testkit::client(server), "default");
///     auto created = pods.create(corev1::Pod::unchecked(testkit::make_pod("default/web")));
KUBEXX_EXPORT rest::Config config(const apiserver::Server& server);
KUBEXX_EXPORT rest::Client client(const apiserver::Server& server, rest::ClientOptions options = {});

/// A small pod; "ns/name".
KUBEXX_EXPORT meta::Object make_pod(std::string_view key);
/// A ConfigMap with one entry, data.v.
KUBEXX_EXPORT meta::Object make_config_map(std::string_view key, std::string_view value = "");

}  // namespace kubexx::testkit
