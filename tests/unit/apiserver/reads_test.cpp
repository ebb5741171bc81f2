#include <set>

#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using ReadsTest = CoreFixture;

TEST_F(ReadsTest, PagesShowOneVersionWhateverHappensBetweenThem) {
  for (int i = 0; i < 7; ++i) put_config_map("m" + std::to_string(i), "1");
  const std::uint64_t version = core->version();

  const meta::Object first = get(kConfigMaps + "?limit=3")->object();
  ASSERT_EQ(first["items"].size(), 3u);
  EXPECT_EQ(first["metadata"]["remainingItemCount"].int_or(0), 4);
  put_config_map("m3", "changed");
  put_config_map("m35", "new");
  send("DELETE", kConfigMaps + "/m5");
  const std::string token(first["metadata"]["continue"].string());
  const meta::Object second = get(kConfigMaps + "?limit=10&continue=" + token)->object();

  EXPECT_EQ(second["metadata"]["resourceVersion"].string(), std::to_string(version));
  ASSERT_EQ(second["items"].size(), 4u);
  EXPECT_EQ(second["items"][0]["data"]["v"].string(), "1");
  EXPECT_EQ(second["items"][2]["metadata"]["name"].string(), "m5");
  EXPECT_FALSE(second["metadata"]["continue"].exists());
}

TEST_F(ReadsTest, AContinueTokenOfForgottenHistoryIsGoneAndOffersToGoOn) {
  for (int i = 0; i < 4; ++i) put_config_map("m" + std::to_string(i), "1");
  const std::string token(get(kConfigMaps + "?limit=2")->object()["metadata"]["continue"].string());
  put_config_map("m9", "1");
  core->compact_history();

  const auto gone = get(kConfigMaps + "?limit=2&continue=" + token);
  EXPECT_EQ(gone->status, 410);
  EXPECT_EQ(gone->object()["reason"].string(), "Expired");
  const auto rest = get(kConfigMaps + "?continue=" + std::string(gone->object()["metadata"]["continue"].string()));

  EXPECT_EQ(rest->status, 200);
  EXPECT_EQ(rest->object()["items"].size(), 3u);
}

TEST_F(ReadsTest, VersionsOfAListAreHonored) {
  put_config_map("a", "1");
  const std::string version = std::to_string(core->version());
  put_config_map("a", "2");

  EXPECT_EQ(get(kConfigMaps + "?resourceVersionMatch=Exact&resourceVersion=" + version)
                ->object()["items"][0]["data"]["v"]
                .string(),
            "1");
  EXPECT_EQ(get(kConfigMaps + "?resourceVersionMatch=NotOlderThan&resourceVersion=" + version)
                ->object()["items"][0]["data"]["v"]
                .string(),
            "2");
  EXPECT_EQ(get(kConfigMaps + "?resourceVersion=0")->object()["items"][0]["data"]["v"].string(), "2");
  const auto future = get(kConfigMaps + "?resourceVersion=99999");
  EXPECT_EQ(future->status, 504);
  EXPECT_EQ(future->header("Retry-After"), "1");
  EXPECT_EQ(get(kConfigMaps + "?resourceVersionMatch=Exact")->status, 422);
  EXPECT_EQ(get(kConfigMaps + "?limit=2&continue=garbage")->status, 400);
}

TEST_F(ReadsTest, SelectorsChooseAndBadOnesAreRefused) {
  put_config_map("a", "1", R"({"app":"x"})");
  put_config_map("b", "1", R"({"app":"y"})");

  EXPECT_EQ(get(kConfigMaps + "?labelSelector=app%3Dx")->object()["items"].size(), 1u);
  EXPECT_EQ(get(kConfigMaps + "?labelSelector=app%20in%20(x%2Cy)")->object()["items"].size(), 2u);
  EXPECT_EQ(get(kConfigMaps + "?fieldSelector=metadata.name%3Db")->object()["items"].size(), 1u);
  EXPECT_EQ(get(kConfigMaps + "?labelSelector=a%20in%20b")->status, 400);
  const auto unknown = get(kConfigMaps + "?fieldSelector=data.key%3Dvalue");
  EXPECT_EQ(unknown->object()["message"].string(),
            "\"data.key\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

TEST_F(ReadsTest, MetadataAndTablesAreMadeOnRequest) {
  put_config_map("a", "1");

  const meta::Object metadata =
      get(kConfigMaps, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")->object();
  const meta::Object table =
      get(kConfigMaps, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")->object();

  EXPECT_EQ(metadata.kind(), "PartialObjectMetadataList");
  EXPECT_FALSE(metadata["items"][0]["data"].exists());
  EXPECT_EQ(table.kind(), "Table");
  EXPECT_EQ(meta::to_json(table["rows"][0]["cells"]), R"(["a",1,"0s"])");
  EXPECT_EQ(table["columnDefinitions"][0]["format"].string(), "name");
}

TEST_F(ReadsTest, YamlGoesInAndOut) {
  const auto made = send("POST", kConfigMaps, "metadata: {name: yaml}\ndata: {on: 'yes'}\n", "application/yaml");
  EXPECT_EQ(made->status, 201) << made->body;
  EXPECT_EQ(made->object()["data"]["true"].string(), "yes");

  const auto shown = get(kConfigMaps + "/yaml", "application/yaml");
  EXPECT_EQ(shown->header("Content-Type"), "application/yaml");
  EXPECT_TRUE(shown->body.starts_with("apiVersion: v1\ndata:\n")) << shown->body;
}

TEST_F(ReadsTest, LargeAnswersAreCompressedForThoseWhoAskForIt) {
  for (int i = 0; i < 40; ++i) put_config_map("m" + std::to_string(i), std::string(5000, 'x'));

  const auto plain = get(kConfigMaps);
  const auto zipped = send("GET", kConfigMaps, {}, {}, {{"accept-encoding", "gzip"}});

  EXPECT_EQ(plain->header("Content-Encoding"), "");
  EXPECT_EQ(zipped->header("Content-Encoding"), "gzip");
  EXPECT_LT(zipped->body.size(), plain->body.size() / 5);
}

TEST_F(ReadsTest, WhoMayDoWhatIsChecked) {
  Options options;
  options.users = {{"read", "reader", {}, Role::ReadOnly, ""}, {"bound", "bound", {}, Role::NamespaceBound, "default"}};
  open(options);
  const auto as = [&](const std::string& token, const std::string& method, const std::string& path) {
    return send(method, path, method == "POST" ? R"({"metadata":{"generateName":"x-"}})" : "", "application/json",
                {{"authorization", token.empty() ? "" : "Bearer " + token}})
        ->status;
  };

  EXPECT_EQ(as("wrong", "GET", kConfigMaps), 401);
  EXPECT_EQ(as("", "GET", kConfigMaps), 403);
  EXPECT_EQ(as("", "GET", "/healthz"), 200);
  EXPECT_EQ(as("", "GET", "/apis"), 403);
  EXPECT_EQ(as("read", "GET", "/api/v1/nodes"), 200);
  EXPECT_EQ(as("read", "POST", kConfigMaps), 403);
  EXPECT_EQ(as("bound", "POST", kConfigMaps), 201);
  EXPECT_EQ(as("bound", "GET", "/api/v1/namespaces/kube-system/configmaps"), 403);
  EXPECT_EQ(as("bound", "GET", "/api/v1/configmaps"), 403);
}

TEST_F(ReadsTest, EveryServedResourceCanBeListed) {
  Options options;
  options.api_all = true;
  open(options);
  std::set<std::string> seen;
  const meta::Object groups = get("/apis")->object();
  std::vector<std::string> versions = {"/api/v1"};
  for (meta::Value group : groups["groups"].items()) {
    for (meta::Value version : group["versions"].items())
      versions.push_back("/apis/" + std::string(version["groupVersion"].string()));
  }
  for (const std::string& path : versions) {
    const meta::Object resources = get(path)->object();
    for (meta::Value resource : resources["resources"].items()) {
      bool lists = false;
      for (meta::Value verb : resource["verbs"].items()) lists |= verb.string() == "list";
      if (!lists) continue;
      const std::string target = path + '/' + std::string(resource["name"].string());
      EXPECT_EQ(get(target)->status, 200) << target;
      seen.insert(target);
    }
  }
  EXPECT_GE(seen.size(), 138u);
}

TEST_F(ReadsTest, UnknownPathsResourcesAndMethodsAnswerAsARealServer) {
  EXPECT_EQ(get("/nothing/here")->body, "404 page not found\n");
  EXPECT_EQ(get("/apis/example.com/v1/things")->body, "404 page not found\n");
  EXPECT_EQ(get("/api/v1/namespaces/default/unicorns/x")->object()["message"].string(),
            "the server could not find the requested resource");
  EXPECT_EQ(send("POST", kConfigMaps + "/one", "{}")->status, 405);
  EXPECT_EQ(get(kConfigMaps, "text/html")->status, 406);
}

}  // namespace
}  // namespace kubexx::apiserver
