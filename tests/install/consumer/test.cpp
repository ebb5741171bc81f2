#include <kubexx/apiserver/server.hpp>
#include <kubexx/client/resource_api.hpp>
#include <kubexx/testkit/client.hpp>

int main() {
  kubexx::apiserver::Server server({.tls = false});
  const kubexx::client::ResourceApi pods(kubexx::testkit::client(server), {"", "v1", "pods"}, "default");
  return pods.get("x").error().is_not_found() ? 0 : 1;
}
