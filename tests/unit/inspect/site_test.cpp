#include "inspect/yaml_lines.hpp"
#include "kubexx/meta/yaml.hpp"
#include "unit/inspect/fixture.hpp"

namespace kubexx::inspect {
namespace {

using meta::object_from_json;
using meta::WatchEventType;
using reflector::config_map;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

meta::Object secret(const std::string& version, const std::string& password) {
  return object_from_json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"ns","uid":"u",
    "resourceVersion":")" +
                          version + R"(","annotations":{"kubectl.kubernetes.io/last-applied-configuration":
    "{\"data\":{\"password\":\"applied-value\"}}","other":"seen"}},"data":{"password":")" +
                          password + R"("},"stringData":{"plain":"text-value"},"type":"Opaque"})");
}

std::vector<std::string> names(const meta::Object& rows) {
  std::vector<std::string> found;
  for (const meta::Value row : rows["rows"].items()) found.emplace_back(row["name"].string());
  return found;
}

TEST_F(SiteTest, SaysOfEveryInformerWhatItDoes) {
  make({"", "v1", "configmaps"}, {config_map("a", "1"), config_map("b", "2")});
  sync();
  send(WatchEventType::Modified, config_map("a", "7"));
  script->stream().close();
  executor->run_until_idle();

  const auto status = json("/api/status");
  const auto shown = status["informers"][0];
  EXPECT_EQ(shown["id"].string(), "configmaps");
  EXPECT_EQ(shown["state"].string(), "watching");
  EXPECT_EQ(shown["mode"].string(), "list");
  EXPECT_EQ(shown["objects"].int_or(0), 2);
  EXPECT_GT(shown["bytes"].int_or(0), 0);
  EXPECT_EQ(shown["events"]["add"].int_or(0), 2);
  EXPECT_EQ(shown["events"]["update"].int_or(0), 1);
  EXPECT_GE(shown["restarts"].size(), 1U);
  EXPECT_TRUE(shown["synced"].bool_or(false));
  EXPECT_FALSE(shown["restored"].bool_or(true));
  EXPECT_TRUE(status["ready"].bool_or(false));
}

TEST_F(SiteTest, SecretValuesAreMaskedUntilAskedForEvenInWhatApplyKept) {
  make({"", "v1", "secrets"}, {secret("1", "b2xk")});
  sync();
  json("/api/rows?informer=secrets");  // from now on changes are kept
  send(WatchEventType::Modified, secret("6", "bmV3"));

  const auto masked = get("/api/object?informer=secrets&key=ns/s");
  for (const char* value : {"bmV3", "b2xk", "text-value", "applied-value"}) {
    EXPECT_THAT(masked.body, Not(HasSubstr(value)));
  }
  EXPECT_THAT(masked.body, HasSubstr("/data/password"));
  EXPECT_THAT(yaml_in(object_from_json(masked.body)), HasSubstr("password: ********"));
  EXPECT_THAT(masked.body, HasSubstr("seen"));

  const auto revealed = get("/api/object?informer=secrets&key=ns/s&reveal=1");
  EXPECT_THAT(yaml_in(object_from_json(revealed.body)), HasSubstr("password: bmV3"));
  EXPECT_THAT(revealed.body, HasSubstr("b2xk"));
  for (const char* list : {"/api/rows?informer=secrets", "/api/rows?informer=secrets&filter=bmV3", "/api/status"}) {
    EXPECT_THAT(get(list).body, Not(HasSubstr("bmV3\""))) << list;
  }
  EXPECT_EQ(json("/api/rows?informer=secrets&filter=bmV3")["matched"].int_or(-1), 0);
}

TEST_F(SiteTest, MarksWhatTheLastUpdateChangedAndWhatWasThereBefore) {
  make({"", "v1", "configmaps"}, {config_map("a", "1", "old")});
  sync();
  json("/api/rows?informer=configmaps");
  send(WatchEventType::Modified, config_map("a", "7", "new"));

  const auto object = json("/api/object?informer=configmaps&key=ns/a");
  std::vector<std::string> changed;
  for (const meta::Value line : object["lines"].items()) {
    if (line["c"].bool_or(false))
      changed.push_back(std::string(line["t"].string()) + " <- " + std::string(line["w"].string()));
  }
  EXPECT_THAT(changed, ElementsAre("  resourceVersion: \"7\" <- \"1\"", "  v: new <- old"));
  EXPECT_EQ(object["changes"][0]["from"].string(), "1");
  EXPECT_EQ(object["changes"][0]["to"].string(), "7");
}

TEST_F(SiteTest, ADeletedObjectIsShownAsItWasLast) {
  make({"", "v1", "configmaps"}, {config_map("a", "1", "last")});
  sync();
  json("/api/rows?informer=configmaps");
  send(WatchEventType::Deleted, config_map("a", "9", "last"));

  const auto object = json("/api/object?informer=configmaps&key=ns/a");
  EXPECT_TRUE(object["gone"].bool_or(false));
  EXPECT_THAT(yaml_in(object), HasSubstr("v: last"));
  EXPECT_EQ(get("/api/object?informer=configmaps&key=ns/never").status, 404);
  EXPECT_EQ(get("/api/object?informer=nothing&key=ns/a").status, 404);
}

TEST_F(SiteTest, TextFromTheClusterLeavesAsOneLineOfJson) {
  const std::string name = "<img src=x onerror=alert(1)>\\n\\ndata: evil\\u2028";
  make({"", "v1", "configmaps"}, {config_map(name, "1", "</script>")});
  sync();

  const auto rows = get("/api/rows?informer=configmaps");
  EXPECT_EQ(rows.type, "application/json");
  EXPECT_EQ(rows.body.find('\n'), std::string::npos);
  EXPECT_EQ(object_from_json(rows.body)["rows"][0]["name"].string(),
            "<img src=x onerror=alert(1)>\n\ndata: evil\xe2\x80\xa8");
}

TEST_F(SiteTest, RowsComeFilteredSortedAndInWindows) {
  std::vector<meta::Object> pods;
  for (int i = 0; i < 300; ++i) {
    pods.push_back(object_from_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"p-)" +
                                    std::to_string(1000 + i) + R"(","uid":"u)" + std::to_string(i) +
                                    R"(","resourceVersion":"1","labels":{"App":"web-)" + std::to_string(i % 3) +
                                    R"("}},"status":{"phase":")" + (i % 2 ? "Running" : "Pending") +
                                    R"(","containerStatuses":[{"restartCount":)" + std::to_string(i) + "}]}}"));
  }
  make({"", "v1", "pods"}, std::move(pods));
  sync();

  const auto window = json("/api/rows?informer=pods&offset=100&limit=3");
  EXPECT_EQ(window["total"].int_or(0), 300);
  EXPECT_THAT(names(window), ElementsAre("p-1100", "p-1101", "p-1102"));
  const auto filtered = json("/api/rows?informer=pods&filter=RUNNING+app%3Dweb-2&limit=2");
  EXPECT_EQ(filtered["matched"].int_or(0), 50);
  EXPECT_THAT(names(filtered), ElementsAre("p-1005", "p-1011"));
  EXPECT_THAT(names(json("/api/rows?informer=pods&sort=Restarts&desc=1&limit=2")), ElementsAre("p-1299", "p-1298"));
  EXPECT_THAT(names(json("/api/rows?informer=pods&sort=Status&offset=149&limit=2")), ElementsAre("p-1298", "p-1001"));
  EXPECT_THAT(names(json("/api/rows?informer=pods&offset=5000")), ElementsAre());
  EXPECT_LE(json("/api/rows?informer=pods&limit=100000")["rows"].size(), 500U);
  EXPECT_EQ(json("/api/rows?informer=pods&filter=nothing+like+it")["matched"].int_or(-1), 0);
}

TEST_F(SiteTest, RowsFollowTheCache) {
  make({"", "v1", "configmaps"}, {config_map("b", "1"), config_map("d", "2")});
  sync();
  EXPECT_THAT(names(json("/api/rows?informer=configmaps")), ElementsAre("b", "d"));

  send(WatchEventType::Added, config_map("c", "6"));
  send(WatchEventType::Added, config_map("a", "7"));
  send(WatchEventType::Deleted, config_map("d", "8"));
  send(WatchEventType::Modified, config_map("b", "9"));

  const auto rows = json("/api/rows?informer=configmaps");
  EXPECT_THAT(names(rows), ElementsAre("a", "b", "c"));
  EXPECT_EQ(rows["rows"][1]["rv"].string(), "9");
  executor->advance(std::chrono::minutes(2));
  EXPECT_THAT(names(json("/api/rows?informer=configmaps&sort=Name&desc=1")), ElementsAre("c", "b", "a"));
}

TEST_F(SiteTest, InformersOfOneNameAreToldApart) {
  make({"", "v1", "configmaps"}, {config_map("a", "1")});
  informer::InformerOptions options;
  options.resource = {"", "v1", "configmaps"};
  options.executor = executor;
  options.handlers = executor;
  const auto other = informer::SharedIndexInformer::create(script, std::move(options));
  site->catalog().add([other, first = informer] { return std::vector{first, other}; });

  const auto all = json("/api/informers");
  ASSERT_EQ(all["informers"].size(), 2U);
  EXPECT_EQ(all["informers"][0]["id"].string(), "configmaps");
  EXPECT_EQ(all["informers"][1]["id"].string(), "configmaps~2");
}

TEST(ChangeLogTest, IsBoundedByNumberAndBytes) {
  const FakeClock clock;
  ChangeLog log(clock);
  const informer::EventContext context(informer::EventCause::Watch, {}, nullptr, nullptr);
  for (int i = 0; i < 3000; ++i) {
    log.on_update(config_map("a", std::to_string(i)), config_map("a", std::to_string(i + 1)), context);
  }
  EXPECT_EQ(log.size(), ChangeLog::kMostChanges);
  EXPECT_EQ(log.of("ns/a", 3).size(), 3U);
  EXPECT_EQ(log.of("ns/a", 3)[0].after.resource_version(), "3000");
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) {
    log.on_update(config_map("b", std::to_string(i), megabyte), config_map("b", std::to_string(i + 1)), context);
  }
  EXPECT_LE(log.bytes(), ChangeLog::kMostBytes);
}

TEST(YamlLinesTest, ReadAsTheSameObjectAgain) {
  const auto object = object_from_json(R"({"kind":"X","list":[{"a":1,"b":[1,[2,3]]},[],{},"- x",null],"empty":{},
    "text":"two\nlines\n","odd key: ":"true","long":"word word word word word word word word word word word word word word word word word word",
    "nested":{"deep":{"er":[{"x":{"y":"z"}}]}},"numbers":[1.5,-3,"0x1"]})");
  std::string text;
  for (const auto& line : render_yaml(object, {}, false).lines) text += line.text + "\n";
  const auto again = meta::parse_yaml_document(text);
  ASSERT_TRUE(again) << again.error().message() << "\n" << text;
  EXPECT_EQ(*again, object) << text;
}

}  // namespace
}  // namespace kubexx::inspect
