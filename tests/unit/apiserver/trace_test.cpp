// Replays recorded exchanges with a real 1.36 server: the state each one presupposes is seeded from the recorded
// bodies, the request is sent, and the answer must be the recorded one, uids, times and numbers excepted.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "core_fixture.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/draft.hpp"
#include "paths.hpp"
#include "support/function_sink.hpp"

namespace kubexx::apiserver {
namespace {

const std::string kTraces = KUBEXX_SOURCE_DIR "/../shared/traces";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

meta::Object parse(std::string_view text) {
  meta::DecodeOptions options;
  options.max_bytes = 64 << 20;
  return meta::parse_json(text, options).value();
}

// What differs from run to run.
std::string normalized(std::string text) {
  static const std::regex uid("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  static const std::regex time("\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z\"");
  static const std::regex version("\"resourceVersion\":\"[0-9]+\"");
  static const std::regex generated("gen-[a-z0-9]{5}");
  static const std::regex oldest("\\([0-9]+\\)\"");
  static const std::regex current("current: [0-9]+");
  static const std::regex description("\"description\":\"(\\\\.|[^\"\\\\])*\"");
  static const std::regex age("\"[0-9]+[smhd]([0-9]+[smh])?\"");
  static const std::regex hash(",\"storageVersionHash\":\"[^\"]*\"");
  text = std::regex_replace(text, uid, "UID");
  text = std::regex_replace(text, time, "\"TIME\"");
  text = std::regex_replace(text, version, "\"resourceVersion\":\"N\"");
  text = std::regex_replace(text, generated, "gen-XXXXX");
  text = std::regex_replace(text, oldest, "(N)\"");
  text = std::regex_replace(text, current, "current: N");
  text = std::regex_replace(text, description, "\"description\":\"D\"");
  text = std::regex_replace(text, age, "\"AGE\"");
  return std::regex_replace(text, hash, "");
}

class TraceTest : public CoreFixture {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no recorded exchanges at " << kTraces;
    for (const auto& entry : std::filesystem::directory_iterator(kTraces)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".json")) names_.push_back(name.substr(0, name.size() - 5));
    }
    std::sort(names_.begin(), names_.end());
    restart();
  }

  void restart() {
    open({});
    executor->fake_clock().set_wall(WallTime(std::chrono::seconds(1794776280)));  // 2026-11-15T20:58:00Z
    seed(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"trace"},"status":{"phase":"Active"}})");
  }

  std::string full(const std::string& number) const {
    for (const std::string& name : names_) {
      if (name.starts_with(number + '-')) return name;
    }
    ADD_FAILURE() << "no exchange " << number;
    return {};
  }
  std::string body(const std::string& number) const { return read(kTraces + '/' + full(number) + ".body"); }

  void raise_to(std::uint64_t version) {
    const meta::Object scratch =
        parse(R"({"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"scratch","namespace":"kube-system"}})");
    while (core->version() < version) ASSERT_TRUE(core->seed(scratch).has_value());
  }
  // With its recorded version, as far as that is still ahead.
  void seed(const std::string& json) {
    const meta::Object object = parse(json);
    const std::string version(object.resource_version());
    if (!version.empty()) raise_to(std::stoull(version) - 1);
    auto stored = core->seed(object);
    ASSERT_TRUE(stored.has_value()) << stored.error().message() << json;
    settle();
  }
  void seed_exchange(const std::string& number) { seed(body(number)); }
  // The items of a recorded list in the order of their versions, then the version of the list.
  void seed_list(const std::string& number) {
    const meta::Object list = parse(body(number));
    std::vector<std::pair<std::uint64_t, std::string>> items;
    for (meta::Value item : list["items"].items()) {
      meta::Draft draft = parse(meta::to_json(item)).edit();
      draft["apiVersion"].set(list.api_version());
      draft["kind"].set(std::string(list.kind().substr(0, list.kind().size() - 4)));
      items.emplace_back(std::stoull(std::string(item["metadata"]["resourceVersion"].string())),
                         meta::to_json(draft.to_object()));
    }
    std::sort(items.begin(), items.end());
    for (const auto& item : items) seed(item.second);
    raise_to(std::stoull(std::string(list["metadata"]["resourceVersion"].string())));
  }

  std::shared_ptr<RecordingWriter> request(const std::string& number) {
    const meta::Object recorded = parse(read(kTraces + '/' + full(number) + ".json"));
    HeaderFields headers;
    for (const auto& [name, value] : recorded["requestHeaders"].entries()) {
      std::string lower(name);
      std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
      std::string text(value.string());
      if (lower == "authorization")
        text = text == "Bearer <token>" && number != "023" ? "Bearer " + core->admin_token() : text;
      headers.emplace_back(lower, text);
    }
    if (!recorded["requestHeaders"]["Authorization"].exists()) headers.emplace_back("authorization", "");
    return send(std::string(recorded["method"].string()), std::string(recorded["path"].string()),
                std::string(recorded["requestBody"].string()),
                std::string(recorded["requestHeaders"]["Content-Type"].string()), headers);
  }

  void expect_headers(const std::string& number, const RecordingWriter& answer) {
    const meta::Object recorded = parse(read(kTraces + '/' + full(number) + ".json"));
    EXPECT_EQ(answer.status, recorded["status"].int_or(0)) << answer.body;
    for (meta::Value header : recorded["responseHeaders"].items()) {
      const std::string name(header[0].string());
      if (name == "Audit-Id" || name == "Date" || name == "Content-Length" || name == "Transfer-Encoding" ||
          name == "Etag") {
        if (name == "Audit-Id") {
          EXPECT_FALSE(answer.header(name).empty());
        }
        continue;
      }
      EXPECT_EQ(answer.header(name), header[1].string()) << name;
    }
  }
  // Byte for byte, after normalizing.
  void expect_same(const std::string& number) {
    SCOPED_TRACE(full(number));
    const auto answer = request(number);
    expect_headers(number, *answer);
    expect_text(answer->body, body(number));
  }
  // The same bytes, or the same values: Go orders the fields of some structs otherwise than their numbers.
  static void expect_text(const std::string& answer, const std::string& recorded) {
    const std::string shown = normalized(answer);
    const std::string wanted = normalized(recorded);
    if (shown == wanted) return;
    auto left = meta::parse_json(shown);
    auto right = meta::parse_json(wanted);
    if (!left || !right) {
      EXPECT_EQ(shown, wanted);
      return;
    }
    const std::vector<std::string> paths = meta::diff_paths(right->root(), left->root());
    EXPECT_TRUE(paths.empty()) << testing::PrintToString(paths) << "\n" << shown << "\n" << wanted;
  }
  void expect_stream(const std::string& number, const RecordingWriter& answer) {
    expect_headers(number, answer);
    EXPECT_EQ(normalized(answer.body), normalized(body(number)));
  }
  // The same objects, whatever the order of their fields on the wire.
  void expect_same_protobuf(const std::string& number) {
    SCOPED_TRACE(full(number));
    const auto answer = request(number);
    expect_headers(number, *answer);
    const auto shown = codec::parse_protobuf(answer->body);
    const auto recorded = codec::parse_protobuf(body(number));
    ASSERT_TRUE(recorded.has_value()) << recorded.error().message();
    ASSERT_TRUE(shown.has_value()) << shown.error().message();
    expect_text(meta::to_json(shown->root()), meta::to_json(recorded->root()));
  }
  static std::vector<std::string> protobuf_items(const std::string& bytes) {
    std::vector<std::string> out;
    FunctionSink sink(
        {.on_item = [&](const meta::Object& item) { out.push_back(normalized(meta::to_json(item.root()))); }});
    codec::ProtobufListReader reader({}, sink);
    EXPECT_TRUE(reader.feed(bytes).has_value());
    const auto list = reader.finish();
    EXPECT_TRUE(list.has_value());
    if (list) out.push_back(list->kind + (list->continue_token.empty() ? "" : " and more"));
    return out;
  }
  static std::vector<std::string> protobuf_events(const std::string& bytes) {
    std::vector<std::string> out;
    FunctionSink sink({.on_event = [&](const meta::WatchEvent& event) {
      out.push_back(std::string(meta::to_string(event.type)) + ' ' + normalized(meta::to_json(event.object.root())));
    }});
    codec::ProtobufWatchReader reader({}, sink);
    EXPECT_TRUE(reader.feed(bytes).has_value());
    EXPECT_TRUE(reader.finish().has_value());
    return out;
  }
  // Does what the recorded events tell, one write per event.
  void replay_writes(const std::string& number, const std::string& path) {
    std::istringstream lines(body(number));
    for (std::string line; std::getline(lines, line);) {
      const meta::Object event = parse(line);
      const meta::Value object = event["object"];
      const std::string name(object["metadata"]["name"].string());
      if (event["type"].string() == "BOOKMARK" || object["metadata"]["resourceVersion"].string() <= "213") continue;
      meta::Draft draft;
      draft["metadata"]["name"].set(name);
      draft["metadata"]["labels"].set(object["metadata"]["labels"]);
      draft["data"].set(object["data"]);
      const HeaderFields agent = {{"user-agent", "kubexx-trace/1.0"}};
      if (event["type"].string() == "ADDED") {
        send("POST", path, meta::to_json(draft.to_object()), "application/json", agent);
      } else if (event["type"].string() == "MODIFIED") {
        send("PUT", path + '/' + name, meta::to_json(draft.to_object()), "application/json", agent);
      } else if (number == "072") {
        draft["metadata"]["labels"]["app"].set("changed");
        send("PUT", path + '/' + name, meta::to_json(draft.to_object()), "application/json", agent);
      } else {
        send("DELETE", path + '/' + name, "", "", agent);
      }
    }
  }

  const std::string kTraceMaps = "/api/v1/namespaces/trace/configmaps";
  std::vector<std::string> names_;
};

TEST_F(TraceTest, DiscoveryShowsTheSameGroupsAndResources) {
  for (const char* number : {"003", "004", "005", "008", "009", "010"}) expect_same(number);
  expect_headers("001", *request("001"));
  expect_headers("006", *request("006"));
  expect_headers("007", *request("007"));  // the checks are those that exist here
  const auto api = send("GET", "/api", {}, {}, {{"host", "127.0.0.1:6443"}, {"accept", "application/json"}});
  expect_headers("002", *api);
  EXPECT_EQ(api->body, body("002"));
  const meta::Object version = request("001")->object();
  EXPECT_EQ(version["gitVersion"].string(), "v1.36.4");
}

TEST_F(TraceTest, CreationsAndTheirMistakesAnswerTheSame) {
  expect_same("011");
  for (const char* number : {"012", "014", "015", "016", "018", "019", "020", "021", "022", "023"}) expect_same(number);
  expect_same("013");
  // Our decoder words the syntax error differently.
  EXPECT_EQ(request("017")->status, 400);
}

TEST_F(TraceTest, ReadsOfOneObjectAnswerTheSame) {
  seed_exchange("024");
  for (const char* number : {"024", "025", "026", "027", "028", "029"}) expect_same(number);
}

TEST_F(TraceTest, UpdatesAndPatchesAnswerTheSame) {
  seed_exchange("024");
  for (const char* number : {"030", "031", "032", "033", "034", "035", "036", "037", "038"}) expect_same(number);
}

TEST_F(TraceTest, ServerSideApplyAnswersTheSame) {
  for (const char* number : {"039", "040", "041", "042", "043"}) expect_same(number);
}

TEST_F(TraceTest, DeletionsAnswerTheSame) {
  const meta::Object held = parse(body("044"));
  meta::Draft before = held.edit();
  before["metadata"]["deletionTimestamp"].erase();
  before["metadata"]["deletionGracePeriodSeconds"].erase();
  seed(meta::to_json(before.to_object()));
  for (const char* number : {"044", "045", "046", "047"}) expect_same(number);
  seed_exchange("021");
  for (const char* number : {"048", "049", "050"}) expect_same(number);
  seed_list("051");
  expect_same("051");
}

TEST_F(TraceTest, ListsAnswerTheSame) {
  seed_list("056");
  for (const char* number :
       {"052", "053", "054", "056", "057", "058", "059", "060", "061", "062", "063", "064", "066", "069"})
    expect_same(number);
  for (const char* number : {"067", "068"}) {
    const auto answer = request(number);
    expect_headers(number, *answer);
    EXPECT_EQ(protobuf_items(answer->body), protobuf_items(body(number))) << number;
  }
  expect_same_protobuf("189");
  EXPECT_EQ(request("055")->status, 400);  // the text names a byte that our decoder does not name
  const auto table = request("065");
  expect_headers("065", *table);
  const meta::Object shown = parse(normalized(table->body));
  const meta::Object recorded = parse(normalized(body("065")));
  EXPECT_EQ(meta::to_json(shown["columnDefinitions"]), meta::to_json(recorded["columnDefinitions"]));
  EXPECT_EQ(shown["rows"].size(), recorded["rows"].size());
}

TEST_F(TraceTest, WatchesAnswerTheSame) {
  seed_list("056");
  for (const char* number : {"070", "072", "073"}) {
    SCOPED_TRACE(number);
    const auto stream = request(number);
    replay_writes(number, kTraceMaps);
    executor->advance(std::chrono::seconds(3));
    EXPECT_TRUE(stream->finished);
    expect_stream(number, *stream);
    for (const char* left : {"watch-json-a", "watch-selector-leaves-a", "watchlist-json-a"})
      send("DELETE", kTraceMaps + '/' + left);
  }
  const auto one = request("079");
  executor->advance(std::chrono::seconds(3));
  expect_stream("079", *one);
  expect_same("076");
  const auto future = request("077");
  EXPECT_EQ(future->body, "");
  expect_same("078");
  const auto table = request("080");
  executor->advance(std::chrono::seconds(2));
  expect_headers("080", *table);
  expect_text(table->body, body("080"));
  core->compact_history();
  expect_same("901");
  const auto old = request("902");
  expect_headers("902", *old);
  EXPECT_EQ(protobuf_events(old->body), protobuf_events(body("902")));
}

TEST_F(TraceTest, ProtobufWatchesSendTheSameInitialObjectsInTheSameFrames) {
  seed_list("056");
  for (const char* number : {"071", "074", "075"}) {
    SCOPED_TRACE(number);
    const auto stream = request(number);
    executor->advance(std::chrono::seconds(4));
    EXPECT_TRUE(stream->finished);
    expect_headers(number, *stream);
    // Up to the first write that was made while it was recorded.
    const auto recorded = protobuf_events(body(number));
    const auto shown = protobuf_events(stream->body);
    const std::size_t initial = parse(body("056"))["items"].size();
    ASSERT_GE(recorded.size(), initial);
    ASSERT_GE(shown.size(), initial);
    for (std::size_t i = 0; i < initial; ++i) EXPECT_EQ(shown[i], recorded[i]);
  }
}

TEST_F(TraceTest, GarbageInProtobufIsABadRequest) {
  const auto answer = send("POST", kTraceMaps, std::string("k8s\0garbage", 11), "application/vnd.kubernetes.protobuf");
  expect_headers("190", *answer);  // the text is our decoder's
  EXPECT_EQ(answer->object()["reason"].string(), "BadRequest");
}

TEST_F(TraceTest, CustomResourcesAnswerTheSame) {
  expect_same("081");
  expect_same("082");
  settle();
  for (const char* number : {"083", "084", "085", "086", "087", "088"}) expect_same(number);
  expect_same("089");
  expect_same_protobuf("090");
  const auto stream = request("091");
  send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.samplecontroller.k8s.io");
  settle();
  expect_stream("091", *stream);
  expect_same("092");
}

TEST_F(TraceTest, TwinsOfAllKindsReadBackAsTheyWereRecorded) {
  std::size_t compared = 0;
  for (const std::string& name : names_) {
    if (name.find("-twin-") == std::string::npos || !name.ends_with("-json")) continue;
    SCOPED_TRACE(name);
    const std::string number = name.substr(0, 3);
    const std::string recorded = body(number);
    seed(recorded);
    const auto answer = request(number);
    EXPECT_EQ(answer->status, 200);
    expect_text(answer->body, recorded);
    ++compared;
  }
  EXPECT_GE(compared, 30u);
}

TEST_F(TraceTest, TwinsOfAllKindsAreTheSameInProtobuf) {
  std::size_t compared = 0;
  for (const std::string& name : names_) {
    if (name.find("-twin-") == std::string::npos || !name.ends_with("-protobuf")) continue;
    seed(body(std::to_string(1000 + std::stoi(name.substr(0, 3)) - 1).substr(1)));  // the JSON twin comes before it
    expect_same_protobuf(name.substr(0, 3));
    ++compared;
  }
  EXPECT_GE(compared, 30u);
}

TEST_F(TraceTest, TwinsShowKubectlsTables) {
  std::size_t compared = 0;
  for (const std::string& name : names_) {
    if (name.find("-twin-") == std::string::npos || !name.ends_with("-table")) continue;
    SCOPED_TRACE(name);
    const std::string number = name.substr(0, 3);
    seed(body(std::to_string(1000 + std::stoi(number) - 2).substr(1)));
    const auto answer = request(number);
    expect_headers(number, *answer);
    // A real server's tables show the metadata of its internal type, which holds this one elsewhere.
    static const std::regex internal("\"deprecated.daemonset.template.generation\":\"[0-9]+\",");
    expect_text(std::regex_replace(answer->body, internal, ""), std::regex_replace(body(number), internal, ""));
    ++compared;
  }
  EXPECT_GE(compared, 30u);
}

}  // namespace
}  // namespace kubexx::apiserver
