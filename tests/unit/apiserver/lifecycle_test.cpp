#include <gmock/gmock.h>

#include <map>

#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using std::chrono::seconds;

class LifecycleTest : public CoreFixture {
 protected:
  const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string kFoos = "/apis/example.com/v1/namespaces/default/foos";
  const std::string kFooDefinition =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Foo","plural":"foos","shortNames":["fo"]},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},"additionalPrinterColumns":[{"name":"Replicas","type":"integer","jsonPath":".spec.replicas"}],"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"size":{"type":"string","enum":["s","l"],"default":"s"},"replicas":{"type":"integer","minimum":1,"maximum":10}}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

  void define() {
    const auto answer = send("POST", kDefinitions, kFooDefinition);
    ASSERT_EQ(answer->status, 201) << answer->body;
    settle();
  }
};

TEST_F(LifecycleTest, AFinalizerHoldsAnObjectUntilItIsRemoved) {
  send("POST", kConfigMaps, R"({"metadata":{"name":"f","finalizers":["example.com/hold"]}})");
  const auto seen = get(kConfigMaps + "?watch=1");

  const auto marked = send("DELETE", kConfigMaps + "/f");
  EXPECT_EQ(marked->status, 200);
  EXPECT_FALSE(marked->object().deletion_timestamp().empty());
  EXPECT_EQ(get(kConfigMaps + "/f")->status, 200);
  const auto released =
      send("PATCH", kConfigMaps + "/f", R"({"metadata":{"finalizers":null}})", "application/merge-patch+json");

  EXPECT_EQ(released->status, 200);
  EXPECT_EQ(get(kConfigMaps + "/f")->status, 404);
  EXPECT_TRUE(seen->summary().back().starts_with("DELETED f@"));
}

TEST_F(LifecycleTest, PreconditionsOfADeletionAreChecked) {
  put_config_map("a", "1");

  EXPECT_EQ(send("DELETE", kConfigMaps + "/a", R"({"preconditions":{"uid":"not-it"}})")->status, 409);
  EXPECT_EQ(send("DELETE", kConfigMaps + "/a", R"({"preconditions":{"resourceVersion":"1"}})")->status, 409);
  const auto gone = send("DELETE", kConfigMaps + "/a");
  EXPECT_EQ(gone->object()["status"].string(), "Success");
  EXPECT_EQ(send("DELETE", kConfigMaps + "/a")->status, 404);
}

TEST_F(LifecycleTest, ARunningPodKeepsItsGracePeriod) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  send("POST", pods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");

  EXPECT_EQ(send("DELETE", pods + "/p")->object().metadata_value()["deletionGracePeriodSeconds"].int_or(0), 30);
  executor->advance(seconds(29));
  EXPECT_EQ(get(pods + "/p")->status, 200);
  executor->advance(seconds(2));
  EXPECT_EQ(get(pods + "/p")->status, 404);
}

TEST_F(LifecycleTest, DeletingACollectionObeysItsSelector) {
  put_config_map("a", "1", R"({"app":"x"})");
  put_config_map("b", "1");

  EXPECT_EQ(send("DELETE", kConfigMaps + "?labelSelector=app%3Dx")->object()["items"].size(), 1u);
  EXPECT_EQ(get(kConfigMaps)->object()["items"].size(), 1u);
}

TEST_F(LifecycleTest, DeletingANamespaceRemovesWhatIsInIt) {
  send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  send("POST", "/api/v1/namespaces/n/configmaps", R"({"metadata":{"name":"a"}})");
  send("POST", "/api/v1/namespaces/n/configmaps", R"({"metadata":{"name":"held","finalizers":["example.com/x"]}})");

  EXPECT_EQ(send("DELETE", "/api/v1/namespaces/n")->object()["status"]["phase"].string(), "Terminating");
  const auto late = send("POST", "/api/v1/namespaces/n/configmaps", R"({"metadata":{"name":"late"}})");
  EXPECT_EQ(late->status, 403);
  settle();
  EXPECT_EQ(get("/api/v1/namespaces/n/configmaps")->object()["items"].size(), 1u);
  send("PATCH", "/api/v1/namespaces/n/configmaps/held", R"({"metadata":{"finalizers":null}})",
       "application/merge-patch+json");
  settle();

  EXPECT_EQ(get("/api/v1/namespaces/n")->status, 404);
}

TEST_F(LifecycleTest, OwnersTakeTheirDependentsAlong) {
  put_config_map("owner", "1");
  const std::string uid(get(kConfigMaps + "/owner")->object().uid());
  const std::string reference = R"({"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" + uid + "\"}";
  send("POST", kConfigMaps, R"({"metadata":{"name":"child","ownerReferences":[)" + reference + "]}}");
  settle();
  EXPECT_EQ(get(kConfigMaps + "/child")->status, 200);

  send("DELETE", kConfigMaps + "/owner");
  settle();

  EXPECT_EQ(get(kConfigMaps + "/child")->status, 404);
}

TEST_F(LifecycleTest, OrphansStayAndLoseTheirOwner) {
  put_config_map("owner", "1");
  const std::string uid(get(kConfigMaps + "/owner")->object().uid());
  send(
      "POST", kConfigMaps,
      R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
          uid + "\"}]}}");
  settle();

  send("DELETE", kConfigMaps + "/owner?propagationPolicy=Orphan");
  settle();

  EXPECT_EQ(get(kConfigMaps + "/owner")->status, 404);
  EXPECT_TRUE(get(kConfigMaps + "/child")->object().owner_references().empty());
}

TEST_F(LifecycleTest, AForegroundDeletionWaitsForItsDependents) {
  put_config_map("owner", "1");
  const std::string uid(get(kConfigMaps + "/owner")->object().uid());
  send(
      "POST", kConfigMaps,
      R"({"metadata":{"name":"child","finalizers":["example.com/x"],"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","blockOwnerDeletion":true,"uid":")" +
          uid + "\"}]}}");
  settle();

  send("DELETE", kConfigMaps + "/owner?propagationPolicy=Foreground");
  settle();
  EXPECT_EQ(get(kConfigMaps + "/owner")->status, 200);
  send("PATCH", kConfigMaps + "/child", R"([{"op":"remove","path":"/metadata/finalizers/0"}])",
       "application/json-patch+json");
  settle();

  EXPECT_EQ(get(kConfigMaps + "/child")->status, 404);
  EXPECT_EQ(get(kConfigMaps + "/owner")->status, 404);
}

TEST_F(LifecycleTest, ACustomResourceIsServedValidatedPrunedAndDefaulted) {
  EXPECT_EQ(get(kFoos)->status, 404);
  define();

  const auto made =
      send("POST", kFoos, R"({"metadata":{"name":"f"},"spec":{"name":"n","unknown":1},"status":{"x":1}})");
  EXPECT_EQ(made->status, 201) << made->body;
  EXPECT_EQ(made->header("Warning"), "299 - \"unknown field \\\"spec.unknown\\\"\"");
  EXPECT_EQ(meta::to_json(made->object()["spec"]), R"({"name":"n","size":"s"})");
  EXPECT_FALSE(made->object()["status"].exists());
  EXPECT_TRUE(made->body.starts_with(R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"creationTimestamp")"))
      << made->body;

  const auto bad = send("POST", kFoos, R"({"metadata":{"name":"g"},"spec":{"replicas":50,"size":"m"}})");
  EXPECT_EQ(bad->status, 422);
  EXPECT_EQ(bad->object()["message"].string(),
            "Foo.example.com \"g\" is invalid: [spec.replicas: Invalid value: 50: spec.replicas in body should be less "
            "than or equal to 10, "
            "spec.size: Unsupported value: \"m\": supported values: \"s\", \"l\", spec.name: Required value]");
}

TEST_F(LifecycleTest, ADefinitionOfAProtectedGroupNeedsApproval) {
  std::string definition = kFooDefinition;
  for (std::size_t at; (at = definition.find("example.com")) != std::string::npos;)
    definition.replace(at, 11, "demo.k8s.io");

  const auto answer = send("POST", kDefinitions, definition);

  EXPECT_EQ(answer->status, 422);
  EXPECT_EQ(answer->object()["details"]["causes"][0]["field"].string(),
            "metadata.annotations[api-approved.kubernetes.io]");
}

TEST_F(LifecycleTest, GenerationOfACustomResourceFollowsItsSpecNotItsStatus) {
  define();
  send("POST", kFoos, R"({"metadata":{"name":"f"},"spec":{"name":"n","replicas":2}})");

  EXPECT_EQ(send("PATCH", kFoos + "/f/status", R"({"status":{"replicas":2}})", "application/merge-patch+json")
                ->object()
                .generation(),
            1);
  EXPECT_EQ(
      send("PATCH", kFoos + "/f", R"({"spec":{"replicas":3}})", "application/merge-patch+json")->object().generation(),
      2);
  const auto scale = send("PATCH", kFoos + "/f/scale", R"({"spec":{"replicas":5}})", "application/merge-patch+json");
  EXPECT_EQ(scale->object().kind(), "Scale") << scale->body;
  EXPECT_EQ(get(kFoos + "/f")->object()["spec"]["replicas"].int_or(0), 5);
  EXPECT_EQ(meta::to_json(get(kFoos, "application/json;as=Table;v=v1;g=meta.k8s.io")->object()["rows"][0]["cells"]),
            R"(["f",5])");
}

TEST_F(LifecycleTest, RemovingADefinitionEndsItsWatchesWithDeletes) {
  define();
  send("POST", kFoos, R"({"metadata":{"name":"f"},"spec":{"name":"n"}})");
  const auto seen = get(kFoos + "?watch=1");

  send("DELETE", kDefinitions + "/foos.example.com");
  settle();

  ASSERT_EQ(seen->events().size(), 2u) << seen->body;
  EXPECT_EQ(seen->events()[1]["type"].string(), "DELETED");
  EXPECT_TRUE(seen->finished);
  EXPECT_EQ(get(kFoos)->body, "404 page not found\n");
  EXPECT_EQ(get("/apis/example.com/v1")->status, 404);
}

TEST_F(LifecycleTest, ApplyMergesOwnsAndConflicts) {
  const auto apply = [&](const std::string& manager, const std::string& data, const std::string& more = "") {
    return send("PATCH", kConfigMaps + "/applied?fieldManager=" + manager + more,
                R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":)" + data + "}",
                "application/apply-patch+yaml");
  };
  EXPECT_EQ(apply("alpha", R"({"a":"1","b":"1"})")->status, 201);
  const auto second = apply("alpha", R"({"a":"2"})");
  EXPECT_EQ(meta::to_json(second->object()["data"]), R"({"a":"2"})");
  const auto refused = apply("beta", R"({"a":"3"})");
  EXPECT_EQ(refused->status, 409);
  EXPECT_EQ(refused->object()["message"].string(), "Apply failed with 1 conflict: conflict with \"alpha\": .data.a");
  const auto forced = apply("beta", R"({"a":"3"})", "&force=true");
  EXPECT_EQ(meta::to_json(forced->object().metadata_value()["managedFields"][0]["fieldsV1"]),
            R"({"f:data":{"f:a":{}}})");
  EXPECT_EQ(forced->object().metadata_value()["managedFields"].size(), 1u);
  EXPECT_EQ(send("PATCH", kConfigMaps + "/applied", R"({"apiVersion":"v1","kind":"ConfigMap"})",
                 "application/apply-patch+yaml")
                ->status,
            422);
}

TEST_F(LifecycleTest, BindingEvictionAndReviewsAnswer) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  send("POST", pods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");

  EXPECT_EQ(send("POST", pods + "/p/binding", R"({"target":{"kind":"Node","name":"n1"}})")->status, 201);
  EXPECT_EQ(get(pods + "/p")->object()["spec"]["nodeName"].string(), "n1");
  EXPECT_EQ(send("POST", pods + "/p/eviction", R"({"deleteOptions":{"gracePeriodSeconds":0}})")->status, 201);
  EXPECT_EQ(get(pods + "/p")->status, 404);
  const auto review = send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                           R"({"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}})");
  EXPECT_TRUE(review->object()["status"]["allowed"].bool_or(false)) << review->body;
}

TEST_F(LifecycleTest, AutoscalersAreConvertedBetweenTheirVersions) {
  const std::string v1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
  const std::string v2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const std::string target =
      R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"maxReplicas":5)";
  const auto made = send(
      "POST", v2,
      R"({"metadata":{"name":"a"},"spec":{)" + target +
          R"(,"metrics":[)"
          R"({"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":70}}},)"
          R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}],)"
          R"("behavior":{"scaleDown":{"stabilizationWindowSeconds":5}}}})");
  ASSERT_EQ(made->status, 201) << made->body;

  const meta::Object old = get(v1 + "/a")->object();
  EXPECT_EQ(old.api_version(), "autoscaling/v1");
  EXPECT_EQ(old["spec"]["targetCPUUtilizationPercentage"].int_or(0), 60);
  EXPECT_FALSE(old["spec"]["metrics"].exists());

  // Written back as v1, nothing of v2 is lost.
  const auto patched =
      send("PATCH", v1 + "/a", R"({"spec":{"targetCPUUtilizationPercentage":50}})", "application/merge-patch+json");
  ASSERT_EQ(patched->status, 200) << patched->body;
  const meta::Object shown = get(v2 + "/a")->object();
  std::map<std::string, std::int64_t> utilization;
  for (meta::Value metric : shown["spec"]["metrics"].items())
    utilization[std::string(metric["resource"]["name"].string())] =
        metric["resource"]["target"]["averageUtilization"].int_or(0);
  EXPECT_EQ(utilization, (std::map<std::string, std::int64_t>{{"cpu", 50}, {"memory", 70}}));
  EXPECT_EQ(shown["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"].int_or(0), 5);
  EXPECT_FALSE(shown["metadata"]["annotations"].exists());
  EXPECT_FALSE(shown["spec"]["targetCPUUtilizationPercentage"].exists());
}

}  // namespace
}  // namespace kubexx::apiserver
