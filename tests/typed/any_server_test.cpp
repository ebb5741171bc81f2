#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "contract/any_server.hpp"
#include "kubexx/clientset/clientset.hpp"
#include "kubexx/clientset/core/v1.hpp"
#include "kubexx/testkit/recording_handler.hpp"

namespace kubexx {
namespace {

namespace corev1 = api::core::v1;

/// Notes the content types of what is answered and no refusal.
class TypesOfAnswers final : public transport::Transport {
 public:
  explicit TypesOfAnswers(std::shared_ptr<transport::Transport> next) : next_(std::move(next)) {}
  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    return next_->send(std::move(request), std::make_shared<Sink>(*this, std::move(sink)));
  }
  std::set<std::string> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  class Sink final : public transport::ResponseSink {
   public:
    Sink(TypesOfAnswers& all, std::shared_ptr<transport::ResponseSink> next) : all_(all), next_(std::move(next)) {}
    void on_headers(int status, const transport::Headers& headers) override {
      const auto* type = headers.find("content-type");
      if (status < 300) {
        const std::lock_guard lock(all_.mutex_);
        all_.seen_.insert(type == nullptr ? "none" : type->substr(0, type->find(';')));
      }
      next_->on_headers(status, headers);
    }
    bool on_data(transport::Buffer piece) override { return next_->on_data(std::move(piece)); }
    void on_end(const Error* error) override { next_->on_end(error); }

   private:
    TypesOfAnswers& all_;
    std::shared_ptr<transport::ResponseSink> next_;
  };

  std::shared_ptr<transport::Transport> next_;
  mutable std::mutex mutex_;
  std::set<std::string> seen_;  // guarded by mutex_
};

/// Typed clients and informers, on any server.
class TypedOnAnyServerTest : public contract::AnyServerTest {
 protected:
  client::Api<corev1::Pod> pods() const { return client::Api<corev1::Pod>(client(), namespace_()); }
  static corev1::PodDraft pod(const std::string& name, const std::string& image) {
    corev1::PodDraft draft;
    draft.metadata().set_name(name);
    auto container = draft.spec().containers().append();
    container.set_name("main");
    container.set_image(image);
    return draft;
  }
};
INSTANTIATE_TEST_SUITE_P(AnyServer, TypedOnAnyServerTest, contract::kAnyServer, contract::server_name);

TEST_P(TypedOnAnyServerTest, AnInformerOfPodsReadsProtobufFromTheFirstStateOn) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(pods().create(pod("p" + std::to_string(i), "nginx")));
  const auto types =
      std::make_shared<TypesOfAnswers>(transport::HttpTransport::create(contract::transport_options(config())).value());
  rest::ClientOptions client_options;
  client_options.transport = types;
  informer::FactoryOptions options;
  options.defaults.scope.namespaces = {namespace_()};
  informer::SharedInformerFactory factory(rest::Client::create(config(), client_options).value(), options);
  const auto chain = factory.core().v1().pods();
  testkit::Recording seen;
  const auto registration = chain.informer().add_event_handler(seen.handler());

  start_and_sync(factory);
  auto changed = pods().get("p0").value().edit();
  changed.spec().containers()[0].set_image("nginx:2");
  ASSERT_TRUE(pods().update(changed));
  ASSERT_TRUE(pods().remove("p1", {.grace_period_seconds = 0}));

  EXPECT_TRUE(seen.await({add("p0"), add("p1"), update("p0"), gone("p1")}, std::chrono::seconds(30)));
  const auto cached = chain.lister().in_namespace(namespace_()).get("p0");
  ASSERT_TRUE(cached) << cached.error();
  EXPECT_EQ(cached->spec().containers()[0].image(), "nginx:2");
  EXPECT_EQ(chain.informer().status().reflector.used_watch_list, has_watch_list());
  for (const auto& type : types->seen()) EXPECT_TRUE(type.starts_with("application/vnd.kubernetes.protobuf")) << type;
  for (int i = 0; i < 10; ++i) static_cast<void>(pods().remove("p" + std::to_string(i), {.grace_period_seconds = 0}));
}

}  // namespace
}  // namespace kubexx
