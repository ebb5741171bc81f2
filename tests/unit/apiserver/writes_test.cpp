#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using WritesTest = CoreFixture;

TEST_F(WritesTest, CreateAnswersTheStoredObjectAsARealServerWritesIt) {
  const auto answer = send(
      "POST", kConfigMaps,
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","labels":{"app":"one"}},"data":{"key":"value"}})");

  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->header("Content-Type"), "application/json");
  EXPECT_FALSE(answer->header("Audit-Id").empty());
  const meta::Object object = answer->object();
  EXPECT_EQ(object.resource_version(), std::to_string(core->version()));
  EXPECT_EQ(object.uid().size(), 36u);
  const std::string expected =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":"default","uid":")" +
      std::string(object.uid()) + R"(","resourceVersion":")" + std::to_string(core->version()) +
      R"(","creationTimestamp":"2023-11-14T22:13:20Z","labels":{"app":"one"},"managedFields":[{"manager":"test","operation":"Update","apiVersion":"v1","time":"2023-11-14T22:13:20Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:key":{}},"f:metadata":{"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value"}})" +
      '\n';
  EXPECT_EQ(answer->body, expected);
}

TEST_F(WritesTest, CreatingANameTwiceIsAConflict) {
  put_config_map("one", "1");

  const auto answer = send("POST", kConfigMaps, R"({"metadata":{"name":"one"}})");

  EXPECT_EQ(answer->status, 409);
  EXPECT_EQ(
      answer->body,
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \"one\" already exists","reason":"AlreadyExists","details":{"name":"one","kind":"configmaps"},"code":409})"
      "\n");
}

TEST_F(WritesTest, GeneratedNamesStartWithTheirPrefix) {
  const auto answer = send("POST", kConfigMaps, R"({"metadata":{"generateName":"gen-"}})");

  EXPECT_EQ(answer->status, 201);
  EXPECT_TRUE(answer->object().name().starts_with("gen-"));
  EXPECT_EQ(answer->object().name().size(), 9u);
}

TEST_F(WritesTest, AnUpdateFromAnOldVersionIsRefused) {
  put_config_map("one", "1");
  const std::string old(get(kConfigMaps + "/one")->object().resource_version());
  put_config_map("one", "2");

  const auto answer = send("PUT", kConfigMaps + "/one",
                           R"({"metadata":{"name":"one","resourceVersion":")" + old + R"("},"data":{"v":"3"}})");

  EXPECT_EQ(answer->status, 409);
  EXPECT_EQ(answer->object()["reason"].string(), "Conflict");
  EXPECT_EQ(get(kConfigMaps + "/one")->object()["data"]["v"].string(), "2");
}

TEST_F(WritesTest, AnUpdateThatChangesNothingWritesNothing) {
  put_config_map("one", "1");
  const std::uint64_t version = core->version();

  put_config_map("one", "1");

  EXPECT_EQ(core->version(), version);
}

TEST_F(WritesTest, TheNamespaceMustExist) {
  const auto answer = send("POST", "/api/v1/namespaces/absent/configmaps", R"({"metadata":{"name":"x"}})");

  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->object()["message"].string(), "namespaces \"absent\" not found");
}

TEST_F(WritesTest, BadNamesAndLabelsAreNamedInTheCauses) {
  const auto answer = send("POST", kConfigMaps, R"({"metadata":{"name":"Bad!","labels":{"-bad":"x y"}}})");

  EXPECT_EQ(answer->status, 422);
  const meta::Object status = answer->object();
  ASSERT_EQ(status["details"]["causes"].size(), 3u);
  EXPECT_EQ(status["details"]["causes"][0]["field"].string(), "metadata.name");
  EXPECT_EQ(status["details"]["causes"][1]["field"].string(), "metadata.labels");
}

TEST_F(WritesTest, AFieldOfTheWrongTypeIsABadRequest) {
  EXPECT_EQ(send("POST", kConfigMaps, R"({"metadata":{"name":"x"},"data":{"v":1}})")->status, 400);
  EXPECT_EQ(send("POST", kConfigMaps, R"({"metadata":)")->status, 400);
  EXPECT_EQ(send("POST", kConfigMaps, R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}})")->status, 400);
  EXPECT_EQ(send("POST", kConfigMaps, "hello", "text/plain")->status, 415);
}

TEST_F(WritesTest, UnknownFieldsAreDroppedWithAWarningOrRefusedWhenStrict) {
  const std::string body = R"({"metadata":{"name":"x"},"dta":{"v":"1"}})";

  const auto strict = send("POST", kConfigMaps + "?fieldValidation=Strict", body);
  const auto lax = send("POST", kConfigMaps, body);

  EXPECT_EQ(strict->status, 400);
  EXPECT_EQ(lax->status, 201);
  EXPECT_EQ(lax->header("Warning"), "299 - \"unknown field \\\"dta\\\"\"");
  EXPECT_FALSE(lax->object()["dta"].exists());
}

TEST_F(WritesTest, StatusAndSpecAreWrittenApart) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  const auto made = send(
      "POST", pods,
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i:1"}]},"status":{"phase":"Running"}})");
  ASSERT_EQ(made->status, 201) << made->body;
  EXPECT_EQ(made->object()["status"]["phase"].string(), "Pending");

  const auto status = send("PATCH", pods + "/p/status", R"({"spec":{"nodeName":"n"},"status":{"phase":"Running"}})",
                           "application/merge-patch+json");
  EXPECT_EQ(status->object()["status"]["phase"].string(), "Running");
  EXPECT_FALSE(status->object()["spec"]["nodeName"].exists());
  EXPECT_EQ(status->object().generation(), 1);

  const auto spec = send("PATCH", pods + "/p", R"({"spec":{"activeDeadlineSeconds":5},"status":{"phase":"Failed"}})",
                         "application/merge-patch+json");
  EXPECT_EQ(spec->object()["status"]["phase"].string(), "Running");
  EXPECT_EQ(spec->object().generation(), 2);
}

TEST_F(WritesTest, PatchesOfAllKindsApply) {
  put_config_map("one", "1");

  send("PATCH", kConfigMaps + "/one", R"([{"op":"add","path":"/data/extra","value":"1"}])",
       "application/json-patch+json");
  const auto failed = send("PATCH", kConfigMaps + "/one", R"([{"op":"test","path":"/data/extra","value":"9"}])",
                           "application/json-patch+json");
  send("PATCH", kConfigMaps + "/one", R"({"data":{"extra":null,"merged":"yes"}})", "application/merge-patch+json");
  const auto last = send("PATCH", kConfigMaps + "/one", R"({"metadata":{"labels":{"tier":"x"}}})",
                         "application/strategic-merge-patch+json");

  EXPECT_EQ(failed->status, 422);
  EXPECT_EQ(meta::to_json(last->object()["data"]), R"({"merged":"yes","v":"1"})");
  EXPECT_EQ(last->object().labels()["tier"].string(), "x");
}

TEST_F(WritesTest, AStrategicPatchMergesContainersByName) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  send("POST", pods,
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"a:1"},{"name":"b","image":"b:1"}]}})");

  const auto answer = send("PATCH", pods + "/p", R"({"spec":{"containers":[{"name":"b","image":"b:2"}]}})",
                           "application/strategic-merge-patch+json");

  ASSERT_EQ(answer->status, 200) << answer->body;
  ASSERT_EQ(answer->object()["spec"]["containers"].size(), 2u);
  EXPECT_EQ(answer->object()["spec"]["containers"][0]["image"].string(), "a:1");
  EXPECT_EQ(answer->object()["spec"]["containers"][1]["image"].string(), "b:2");
}

TEST_F(WritesTest, AVersionTooOldForASchemaIsReadAndSeededAndNotPatchedStrategically) {
  Options options;
  options.api_all = true;
  open(options);
  const auto seeded = core->seed(
      meta::parse_json(
          R"({"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"old","namespace":"default"}})")
          .value());
  ASSERT_TRUE(seeded.has_value()) << seeded.error();
  const std::string path = "/apis/apps/v1beta1/namespaces/default/deployments/old";

  EXPECT_EQ(get(path)->status, 200);
  EXPECT_EQ(
      send("PATCH", path, R"({"metadata":{"labels":{"a":"b"}}})", "application/strategic-merge-patch+json")->status,
      415);
}

TEST_F(WritesTest, ADryRunLeavesNoTrace) {
  const std::uint64_t version = core->version();

  const auto answer = send("POST", kConfigMaps + "?dryRun=All", R"({"metadata":{"name":"dry"}})");

  EXPECT_EQ(answer->status, 201);
  EXPECT_FALSE(answer->object().metadata_value()["resourceVersion"].exists());
  EXPECT_EQ(core->version(), version);
  EXPECT_EQ(get(kConfigMaps + "/dry")->status, 404);
}

}  // namespace
}  // namespace kubexx::apiserver
