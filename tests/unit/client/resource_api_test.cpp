#include "kubexx/client/resource_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "client/mailbox.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/base/wait.hpp"
#include "unit/client/fake_client.hpp"

namespace kubexx::client {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"}})";

class ResourceApiTest : public testing::Test {
 protected:
  const transport::Request& sent() const { return fake.transport->requests.back(); }
  FakeClient fake;
  ResourceApi pods = fake.pods();
  meta::Object pod = meta::parse_json(kPod).value();
};

TEST_F(ResourceApiTest, EveryPatchFormHasItsMediaType) {
  const std::pair<PatchType, const char*> forms[] = {{PatchType::Merge, "application/merge-patch+json"},
                                                     {PatchType::Json, "application/json-patch+json"},
                                                     {PatchType::Strategic, "application/strategic-merge-patch+json"},
                                                     {PatchType::Apply, "application/apply-patch+yaml"}};
  for (const auto& [type, media] : forms) {
    fake.transport->answer(200, kPod);
    ASSERT_TRUE(pods.patch("a", type, "{}", {.field_manager = "me", .force = true}, "status"));
    EXPECT_EQ(*sent().headers.find("Content-Type"), media);
    EXPECT_EQ(sent().method, "PATCH");
    EXPECT_THAT(sent().url, HasSubstr("/api/v1/namespaces/ns/pods/a/status?"));
    EXPECT_THAT(sent().url, HasSubstr("fieldManager=me"));
    const bool forced = sent().url.find("force=true") != std::string::npos;
    EXPECT_EQ(forced, type == PatchType::Apply);
  }
}

TEST_F(ResourceApiTest, ARemovalSaysUnderWhichConditionsAndHow) {
  fake.transport->answer(200, kPod);
  ASSERT_TRUE(pods.remove("a", {.grace_period_seconds = 0,
                                .propagation_policy = "Foreground",
                                .uid = "u-1",
                                .resource_version = "7",
                                .dry_run = true}));

  EXPECT_EQ(sent().method, "DELETE");
  const auto body = meta::parse_json(sent().body).value();
  EXPECT_EQ(body["gracePeriodSeconds"].int_or(-1), 0);
  EXPECT_EQ(body["propagationPolicy"].string(), "Foreground");
  EXPECT_EQ(body["preconditions"]["uid"].string(), "u-1");
  EXPECT_EQ(body["preconditions"]["resourceVersion"].string(), "7");
  EXPECT_EQ(body["dryRun"][0].string(), "All");
}

TEST_F(ResourceApiTest, AWriteThatOnlyTriesAsksForAllOfADryRun) {
  fake.transport->answer(200, kPod);
  ASSERT_TRUE(pods.patch("a", PatchType::Merge, "{}", {.dry_run = true}));
  EXPECT_THAT(sent().url, EndsWith("/pods/a?dryRun=All"));
}

// A server refuses to apply them.
TEST_F(ResourceApiTest, AnObjectIsAppliedWithoutItsManagedFields) {
  fake.transport->answer(200, kPod);
  auto draft = pod.edit();
  draft["metadata"]["managedFields"].append()["manager"].set("other");

  ASSERT_TRUE(pods.apply(draft.to_object(), {.field_manager = "me"}));

  EXPECT_THAT(sent().url, EndsWith("/pods/a?fieldManager=me"));
  EXPECT_THAT(sent().body, Not(HasSubstr("managedFields")));
}

TEST_F(ResourceApiTest, ACollectionIsNotRemovedByShardsWhichAServerMayNotKnow) {
  const auto refused = pods.remove_collection({.shard_selector = "shardRange(object.metadata.uid, '0x0', '0x8')"});

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("not removed by shards"));
  EXPECT_TRUE(fake.transport->requests.empty());
}

TEST_F(ResourceApiTest, ACollectionIsRemovedBySelector) {
  fake.transport->answer(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  ASSERT_TRUE(pods.remove_collection({.label_selector = "app=web"}, {.propagation_policy = "Orphan"}));

  EXPECT_EQ(sent().method, "DELETE");
  EXPECT_THAT(sent().url, EndsWith("/api/v1/namespaces/ns/pods?labelSelector=app%3Dweb"));
  EXPECT_THAT(sent().body, HasSubstr("Orphan"));
}

TEST_F(ResourceApiTest, AClusterWideResourceHasNoNamespaceInItsPath) {
  fake.transport->answer(200, kPod);
  ASSERT_TRUE(DynamicClient(fake.client).resource({"example.com", "v1", "widgets"}).get("w"));
  EXPECT_EQ(sent().url, "https://server.example/apis/example.com/v1/widgets/w");
}

TEST_F(ResourceApiTest, AFailureInASuccessfulAnswerIsAnError) {
  fake.transport->answer(200,
                         R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409})");
  EXPECT_TRUE(pods.get("a").error().is_conflict());
  fake.transport->answer(200, "");
  EXPECT_EQ(pods.get("a").error().kind(), ErrorKind::Decode);
}

TEST_F(ResourceApiTest, NamesAreNeeded) {
  EXPECT_FALSE(pods.get(""));
  EXPECT_FALSE(pods.remove(""));
  EXPECT_FALSE(pods.patch("", PatchType::Merge, "{}"));
  EXPECT_FALSE(pods.logs(""));
  EXPECT_FALSE(pods.apply(pod, {}));  // no field manager
  EXPECT_TRUE(fake.transport->requests.empty());
}

TEST_F(ResourceApiTest, AListIsReadAsItArrivesAndEndsWithStop) {
  rest::FakeTransport::Answer half;
  half.chunks = {R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)", kPod, ","};
  half.stays_open = true;
  fake.transport->answers.push_back(half);
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });

  EXPECT_TRUE(pods.list({.stop = stop.get_token()}).error().is_canceled());

  half.stays_open = false;
  half.chunks.emplace_back(std::string(kPod) + "]}");
  FakeClient other;
  other.transport->answers = {half};
  const auto list = other.pods().list();
  ASSERT_TRUE(list) << list.error();
  EXPECT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->meta.resource_version, "7");
}

TEST_F(ResourceApiTest, APageWithoutEndIsCutOffAtItsLimit) {
  rest::FakeTransport::Answer answer;
  answer.chunks = {R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)",
                   R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}},)"};
  answer.stays_open = true;
  fake.transport->answers.push_back(std::move(answer));
  ListOptions options;
  options.limits.max_objects = 2;

  EXPECT_EQ(pods.list(options).error().message(), "the list has more than 2 objects");
}

TEST_F(ResourceApiTest, AListHasItsTimeout) {
  fake.watch({}, true);
  EXPECT_TRUE(pods.list({.timeout = milliseconds(20)}).error().is_timeout());
}

TEST_F(ResourceApiTest, LogsAreAskedForWithEveryOption) {
  fake.transport->answer(200, "one\ntwo");
  const auto text = pods.logs("a", {.container = "main",
                                    .follow = true,
                                    .previous = true,
                                    .timestamps = true,
                                    .tail_lines = 5,
                                    .since_seconds = 60,
                                    .since_time = "2026-01-01T00:00:00Z",
                                    .limit_bytes = 1000});

  EXPECT_EQ(text.value(), "one\ntwo");
  EXPECT_THAT(sent().url, EndsWith("/pods/a/log?container=main&follow=true&previous=true&timestamps=true&tailLines=5&"
                                   "sinceSeconds=60&sinceTime=2026-01-01T00%3A00%3A00Z&limitBytes=1000"));
}

TEST_F(ResourceApiTest, LogLinesAreJoinedAcrossPieces) {
  rest::FakeTransport::Answer log;
  log.headers.set("Content-Type", "text/plain");
  log.chunks = {"on", "e\ntwo\n", "\nfo", "ur"};
  fake.transport->answers = {log};
  std::vector<std::string> lines;

  const auto read = pods.stream_log_lines("a", {}, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });

  ASSERT_TRUE(read) << read.error();
  EXPECT_THAT(lines, ElementsAre("one", "two", "", "four"));
}

TEST_F(ResourceApiTest, AVeryLongLogLineComesInPieces) {
  rest::FakeTransport::Answer log;
  const std::string megabyte(1 << 20, 'x');
  log.chunks = {megabyte, "\n", megabyte, "y\n", "z"};
  fake.transport->answers = {log};
  std::vector<std::size_t> sizes;

  ASSERT_TRUE(pods.stream_log_lines("a", {}, [&](std::string_view line) {
    sizes.push_back(line.size());
    return true;
  }));

  EXPECT_THAT(sizes, ElementsAre(1 << 20, 1 << 20, 1, 1));
}

TEST_F(ResourceApiTest, AFollowedLogEndsWhenTheReaderHasEnoughOrStops) {
  rest::FakeTransport::Answer log;
  log.chunks = {"one\ntwo\nthree\n"};
  log.stays_open = true;
  fake.transport->answers = {log, log};
  std::vector<std::string> lines;
  std::stop_source stop;

  EXPECT_TRUE(pods.stream_log_lines("a", {.follow = true}, [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() < 2;
  }));
  const auto stopped = pods.stream_logs("a", {.follow = true, .stop = stop.get_token()}, [&](std::string_view) {
    stop.request_stop();
    return true;
  });

  EXPECT_THAT(lines, ElementsAre("one", "two"));
  EXPECT_TRUE(stopped.error().is_canceled());
}

TEST_F(ResourceApiTest, AMissingPodsLogIsItsError) {
  fake.transport->answer(404, "404 page not found");
  EXPECT_TRUE(pods.stream_logs("a", {}, [](std::string_view) { return true; }).error().is_not_found());
}

/// Counts how often it is held.
class CountingCall final : public meta::Call {
 public:
  explicit CountingCall(test::Count& holds, test::Count& resumes) : holds_(holds), resumes_(resumes) {}
  void hold() override { holds_.add(); }
  void resume() override { resumes_.add(); }

 private:
  test::Count& holds_;
  test::Count& resumes_;
};

TEST(MailboxTest, AReaderThatFallsBehindHoldsTheCallAndResumesItWhenItCaughtUp) {
  const auto executor = std::make_shared<ThreadExecutor>();
  const Strand strand(executor);
  test::Count holds;
  test::Count resumes;
  test::Count filled;
  const auto box = std::make_shared<Mailbox<int>>(kubexx::detail::Awaited(), strand, 4);
  box->begin([&] { return std::make_unique<CountingCall>(holds, resumes); });
  strand.post([&] {
    for (int i = 0; i < 6; ++i) box->put(i);
    filled.add();
  });
  ASSERT_TRUE(filled.reaches(1));
  EXPECT_EQ(holds.value(), 1);

  for (int i = 0; i < 6; ++i) EXPECT_EQ(**box->next({}, {}), i);

  EXPECT_TRUE(resumes.reaches(1));
  EXPECT_EQ(holds.value(), 1);
  box->close();
}

}  // namespace
}  // namespace kubexx::client
