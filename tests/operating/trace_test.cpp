#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/controller/controller_core.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "support/recording_tracer.hpp"

namespace kubexx {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const meta::GroupVersionResource kPods{"", "v1", "pods"};

/// A client of the embedded server whose spans are written down.
class TraceOverServerTest : public ::testing::Test {
 protected:
  TraceOverServerTest() : client(testkit::client(server, {.tracer = tracer})) {
    EXPECT_TRUE(server.seed(testkit::make_pod("default/web")));
  }
  std::size_t lines(std::string_view beginning) const {
    std::size_t count = 0;
    for (const auto& line : tracer->lines()) count += line.starts_with(beginning) ? 1 : 0;
    return count;
  }
  controller::ControllerOptions controller_options() const {
    controller::ControllerOptions options;
    options.name = "pods";
    options.executor = client.executor();
    options.handlers = client.handlers();
    options.tracer = client.tracer();
    return options;
  }

  apiserver::Server server;
  std::shared_ptr<RecordingTracer> tracer = std::make_shared<RecordingTracer>();
  rest::Client client;
};

TEST_F(TraceOverServerTest, ARequestSaysWhatItAsksAndWhatWasAnswered) {
  rest::Request request;
  request.path = {kPods, "default", "web", ""};
  ASSERT_TRUE(client.send(request));
  request.path.name = "missing";
  ASSERT_FALSE(client.send(request));

  EXPECT_THAT(tracer->line("begin request: GET pods"),
              AllOf(HasSubstr(" http.request.method=GET "), HasSubstr(" k8s.resource=pods "),
                    HasSubstr(" k8s.namespace.name=default"), HasSubstr(" k8s.object.name=web")));
  EXPECT_THAT(tracer->line("end GET pods"),
              AllOf(HasSubstr(" http.request.resend_count=0"), EndsWith(" http.response.status_code=200")));
  EXPECT_THAT(tracer->lines().back(),
              AllOf(HasSubstr(" http.response.status_code=404"), HasSubstr(" error.type="), HasSubstr("not found")));
  EXPECT_EQ(tracer->parent_of("GET pods"), "");
}

TEST_F(TraceOverServerTest, AListInPagesIsOneSpanWithItsRequestsInside) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(server.seed(testkit::make_pod("default/p" + std::to_string(i))));
  informer::InformerOptions options;
  options.resource = kPods;
  options.executor = client.executor();
  options.handlers = client.handlers();
  options.reflector.emplace();
  options.reflector->watch_list = false;
  options.reflector->page_size = 2;
  options.reflector->tracer = client.tracer();
  // A list at "0" comes in one piece.
  informer::ClientSourceOptions source;
  source.tweak = [](meta::ListOptions& query) {
    if (query.resource_version == "0") query.resource_version = "";
  };
  const auto pods = informer::SharedIndexInformer::create(informer::make_client_lister_watcher(client, kPods, source),
                                                          std::move(options));
  pods->start();
  ASSERT_TRUE(testkit::eventually([&] { return lines("begin request: WATCH pods") == 1; }));
  pods->stop();
  pods->join();

  EXPECT_EQ(lines("begin list: list pods"), 1U);
  EXPECT_EQ(lines("begin request: LIST pods"), 3U);
  EXPECT_EQ(tracer->parent_of("LIST pods"), "list pods");
  EXPECT_EQ(tracer->parent_of("WATCH pods"), "watch pods");
  EXPECT_THAT(tracer->line("begin list: list pods"),
              AllOf(HasSubstr(" kubexx.informer=pods"), HasSubstr(" kubexx.mode=list")));
  EXPECT_THAT(tracer->line("end list pods"), HasSubstr(" kubexx.objects=6 kubexx.resource_version="));
  ASSERT_TRUE(testkit::eventually([&] { return lines("end WATCH pods") == 1; }));
  EXPECT_EQ(lines("end watch pods"), 1U);
}

TEST_F(TraceOverServerTest, AWatchListIsAListUpToItsBookmarkAndAWatchThen) {
  informer::DynamicSharedInformerFactory factory(client);
  const auto pods = factory.for_resource(kPods).value().informer();
  factory.start();
  ASSERT_TRUE(testkit::eventually([&] { return pods.has_synced() && lines("begin watch: watch pods") == 1; }));
  pods.shared()->relist();
  ASSERT_TRUE(testkit::eventually([&] { return lines("end watch pods") == 1; }));
  factory.shutdown();

  EXPECT_THAT(tracer->line("begin list: list pods"), HasSubstr(" kubexx.mode=WatchList"));
  EXPECT_THAT(tracer->line("end list pods"), HasSubstr(" kubexx.objects=1 "));
  EXPECT_EQ(tracer->parent_of("WATCH pods"), "list pods");
  EXPECT_THAT(tracer->line("end watch pods"), HasSubstr(" kubexx.reason=asked kubexx.events="));
}

TEST_F(TraceOverServerTest, AReconcileHasTheRequestsInsideThatItMakes) {
  informer::DynamicSharedInformerFactory factory(client);
  const auto pods = factory.for_resource(kPods).value().informer();
  controller::ControllerCore core({{"", "Pod"}}, pods.shared(), {}, controller_options());
  std::stop_source stop;
  core.start(stop.get_token(), [&](const meta::ObjectKey& key, std::stop_token) -> Result<controller::Action> {
    rest::Request request;
    request.path = {kPods, key.namespace_, key.name, ""};
    if (auto answer = client.send(request); !answer) return answer.error();
    return controller::Action::done();
  });
  factory.start();
  ASSERT_TRUE(testkit::eventually([&] { return lines("end reconcile pods") == 1; }));
  stop.request_stop();
  ASSERT_TRUE(core.join());
  factory.shutdown();

  EXPECT_EQ(tracer->parent_of("GET pods"), "reconcile pods");
  EXPECT_THAT(tracer->line("begin reconcile: reconcile pods"),
              HasSubstr(" kubexx.controller=pods k8s.namespace.name=default k8s.object.name=web"));
  EXPECT_THAT(tracer->line("end reconcile pods"), EndsWith(" kubexx.result=success"));
}

TEST(TraceNoneTest, AClientWithoutATracerCallsNoneThatIsSetLaterForAnother) {
  apiserver::Server server;
  const auto tracer = std::make_shared<RecordingTracer>();
  const auto traced = testkit::client(server, {.tracer = tracer});
  const auto plain = testkit::client(server);
  rest::Request request;
  request.absolute_path = "/version";
  ASSERT_TRUE(plain.send(request));
  EXPECT_THAT(tracer->lines(), IsEmpty());

  ASSERT_TRUE(traced.send(request));
  EXPECT_THAT(tracer->line("begin request: GET"), HasSubstr(" url.path=/version"));
}

}  // namespace
}  // namespace kubexx
