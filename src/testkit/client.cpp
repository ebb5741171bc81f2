#include "kubexx/testkit/client.hpp"

#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::testkit {
namespace {

void text(meta::ObjectBuilder& b, const char* key, std::string_view value) {
  b.key(key);
  b.string(value);
}

void begin_object(meta::ObjectBuilder& b, const char* kind, std::string_view key) {
  const auto name = meta::ObjectKey::parse(key).value();
  b.begin_map();
  text(b, "apiVersion", "v1");
  text(b, "kind", kind);
  b.key("metadata");
  b.begin_map();
  text(b, "name", name.name);
  if (!name.namespace_.empty()) text(b, "namespace", name.namespace_);
  b.end_map();
}

}  // namespace

rest::Config config(const apiserver::Server& server) {
  rest::Config config;
  config.host = server.url();
  config.bearer_token = server.admin_token();
  config.allow_insecure_credentials = true;
  config.tls.ca_data = server.ca_pem();
  config.user_agent = "kubexx-test";
  return config;
}

rest::Client client(const apiserver::Server& server, rest::ClientOptions options) {
  return rest::Client::create(config(server), std::move(options)).value();
}

meta::Object make_pod(std::string_view key) {
  meta::ObjectBuilder b;
  begin_object(b, "Pod", key);
  b.key("spec");
  b.begin_map();
  b.key("containers");
  b.begin_list();
  b.begin_map();
  text(b, "name", "main");
  text(b, "image", "registry.example/app:1");
  b.end_map();
  b.end_list();
  b.end_map();
  b.end_map();
  return b.finish().value();
}

meta::Object make_config_map(std::string_view key, std::string_view value) {
  meta::ObjectBuilder b;
  begin_object(b, "ConfigMap", key);
  b.key("data");
  b.begin_map();
  text(b, "v", value);
  b.end_map();
  b.end_map();
  return b.finish().value();
}

}  // namespace kubexx::testkit
