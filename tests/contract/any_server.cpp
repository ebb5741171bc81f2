#include "contract/any_server.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <random>

#include "contract/queue_under_test.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::contract {
namespace {

const meta::GroupVersionResource kNamespaces{"", "v1", "namespaces"};

std::string random_name() {
  std::random_device random;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = "kubexx-";
  for (int i = 0; i < 10; ++i) name += kDigits[random() % 16];
  return name;
}

std::string line_of(const meta::Object& object) {
  return meta::ObjectKey::of(object).to_string() + "=" + std::string(object.resource_version());
}

}  // namespace

std::string server_name(const ::testing::TestParamInfo<ServerKind>& info) {
  return info.param == ServerKind::Embedded ? "embedded" : "cluster";
}

transport::TransportOptions transport_options(const rest::Config& config) {
  transport::TransportOptions options;
  options.tls = config.tls;
  options.proxy_url = "none";
  return options;
}

AnyServerTest::AnyServerTest() = default;
AnyServerTest::~AnyServerTest() = default;

void AnyServerTest::SetUp() {
  if (is_embedded()) {
    apiserver::Options options;
    options.bookmark_interval = std::chrono::milliseconds(200);
    options.tls = true;  // and with it HTTP/2, as on a real one
    embedded_ = std::make_unique<apiserver::Server>(options);
    config_ = testkit::config(*embedded_);
  } else {
    const char* file = std::getenv("KUBECONFIG_UNDER_TEST");
    if (file == nullptr || *file == '\0')
      GTEST_SKIP() << "KUBECONFIG_UNDER_TEST is not set (./dev test-cluster sets it)";
    rest::LoadOptions options;
    options.kubeconfig = file;
    const auto loaded = rest::Config::load(options);
    ASSERT_TRUE(loaded) << loaded.error();
    config_ = *loaded;
    config_.user_agent = "kubexx-test";
  }
  client_ = rest::Client::create(config_).value();
  const auto version = client::server_version(*client_);
  ASSERT_TRUE(version) << version.error();
  minor_version_ = std::atoi(version->minor.c_str());
  namespace_name_ = random_name();
  const auto text = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + namespace_name_ + "\"}}";
  const auto created = client::ResourceApi(*client_, kNamespaces).create(meta::parse_json(text).value());
  ASSERT_TRUE(created) << created.error();
}

void AnyServerTest::TearDown() {
  if (!client_) return;
  static_cast<void>(api(kConfigMaps).remove_collection());
  static_cast<void>(client::ResourceApi(*client_, kNamespaces).remove(namespace_name_));
}

bool AnyServerTest::has_subresource(const meta::GroupVersionResource& resource, std::string_view name) const {
  // By the text of the older form: discovery itself is among what is tested.
  rest::Request request;
  request.absolute_path = (resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/") + resource.version;
  const auto answer = client_->send(request);
  EXPECT_TRUE(answer) << answer.error();
  const auto text = "\"" + resource.resource + "/" + std::string(name) + "\"";
  return answer && answer->body.find(text) != std::string::npos;
}

client::ResourceApi AnyServerTest::api(const meta::GroupVersionResource& resource) const {
  return {*client_, resource, namespace_name_};
}

meta::Object AnyServerTest::put(std::string_view name, std::string_view value) const {
  auto draft = testkit::make_config_map(key(name), value).edit();
  auto written = api(kConfigMaps).create(draft.to_object());
  if (!written && written.error().is_already_exists()) written = api(kConfigMaps).update(draft.to_object());
  EXPECT_TRUE(written) << written.error();
  return written ? *written : meta::Object();
}

void AnyServerTest::remove(std::string_view name) const {
  const auto removed = api(kConfigMaps).remove(name);
  EXPECT_TRUE(removed) << removed.error();
}

std::vector<std::string> AnyServerTest::on_server() const {
  client::ListOptions options;
  options.field_selector = "metadata.name!=kube-root-ca.crt";
  const auto list = api(kConfigMaps).list_all(options);
  EXPECT_TRUE(list) << list.error();
  std::vector<std::string> lines;
  if (list) std::transform(list->items.begin(), list->items.end(), std::back_inserter(lines), line_of);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> AnyServerTest::in_cache(const informer::Informer<meta::Object>& informer) {
  std::vector<std::string> lines;
  for (const auto& object : informer.lister().list()) lines.push_back(line_of(object));
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool AnyServerTest::compact_history() const {
  if (embedded_) {
    embedded_->compact_history();
    return true;
  }
  const char* etcd = std::getenv("ETCD_UNDER_TEST");
  if (etcd == nullptr || *etcd == '\0') return false;
  // On the real server versions are those of etcd; its gateway takes JSON.
  const auto last = put("compaction");
  rest::Config config;
  config.host = etcd;
  rest::Request request;
  request.method = "POST";
  request.absolute_path = "/v3/kv/compaction";
  request.body = R"({"physical":true,"revision":")" + std::string(last.resource_version()) + "\"}";
  const auto done = rest::Client::create(config).value().send(request);
  EXPECT_TRUE(done) << done.error();
  return done.has_value();
}

std::unique_ptr<informer::DynamicSharedInformerFactory> AnyServerTest::make_factory(rest::Client client,
                                                                                    informer::FactoryOptions options,
                                                                                    Backoff backoff) const {
  options.defaults.scope.namespaces = {namespace_name_};
  options.defaults.queue = queue_under_test();
  options.defaults.backoff = backoff;
  // A whole cluster puts a ConfigMap of its own into every namespace.
  if (!options.defaults.tweak_list_options) {
    options.defaults.tweak_list_options = [](meta::ListOptions& query) {
      query.field_selector = "metadata.name!=kube-root-ca.crt";
    };
  }
  return std::make_unique<informer::DynamicSharedInformerFactory>(std::move(client), std::move(options));
}

void AnyServerTest::start_and_sync(informer::SharedInformerFactory& factory) {
  factory.start();
  const auto synced = factory.wait_for_cache_sync({}, {.fail_fast = true, .timeout = std::chrono::seconds(30)});
  ASSERT_TRUE(synced) << (synced.as_error() ? synced.as_error()->message() : "");
}

}  // namespace kubexx::contract
