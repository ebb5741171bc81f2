#include "kubexx/codec/protobuf.hpp"

#include <gtest/gtest.h>

#include <random>

#include "codec/messages.hpp"
#include "codec/wire.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/fragment_memory.hpp"
#include "kubexx/meta/json.hpp"
#include "random_objects.hpp"
#include "support/function_sink.hpp"

namespace kubexx::codec {
namespace {

std::string field(std::uint32_t number, std::string_view bytes) {
  std::string out;
  append_bytes(out, number, bytes);
  return out;
}

std::string number(std::uint32_t number, std::uint64_t value) {
  std::string out;
  append_tag(out, number, WireType::Varint);
  append_varint(out, value);
  return out;
}

std::string body(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string(kMagic) + field(1, field(1, api_version) + field(2, kind)) + field(2, raw) + field(3, "") +
         field(4, "");
}

meta::Object decoded(std::string_view kind, std::string_view raw) {
  return parse_protobuf(body("v1", kind, raw)).value();
}

TEST(ProtobufTest, FieldsThatJsonAlwaysHasAppearWhenTheWireHasThemNot) {
  EXPECT_EQ(meta::to_json(decoded("Pod", "")),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":null},"status":{}})");
}

TEST(ProtobufTest, ZerosAreDroppedWhereJsonOmitsThem) {
  const auto pod = decoded("Pod", field(1, field(1, "a") + field(3, "")) + field(2, number(11, 0) + field(10, "")));

  EXPECT_EQ(pod.name(), "a");
  EXPECT_FALSE(pod["metadata"]["namespace"].exists());
  EXPECT_FALSE(pod["spec"]["nodeName"].exists());
  EXPECT_FALSE(pod["spec"]["hostNetwork"].exists());
}

TEST(ProtobufTest, PartsOfAFieldThatStandApartAreJoined) {
  const auto split = decoded("Pod", field(2, field(2, field(1, "first"))) + field(1, field(1, "a")) +
                                        field(2, field(10, "node") + field(2, field(1, "second"))));
  const auto whole =
      decoded("Pod", field(1, field(1, "a")) +
                         field(2, field(2, field(1, "first")) + field(2, field(1, "second")) + field(10, "node")));

  EXPECT_EQ(split, whole) << meta::to_json(split);
  EXPECT_EQ(split["spec"]["containers"].size(), 2U);
}

TEST(ProtobufTest, UnknownNumbersMarkTheObjectAndSayWhich) {
  const auto pod = decoded("Pod", field(1, field(1, "a")) + field(2, field(999, "new")));

  EXPECT_EQ(pod.completeness(), meta::Completeness::Transformed);
  EXPECT_EQ(pod.projection_name(), "unknown field 999 of core.v1.PodSpec");
}

/// A list of pods in large pieces, of which parts repeat; `own` is what else stands in a pod's first container.
template <class Own>
std::vector<meta::Object> read_pods(int count, const Own& own) {
  std::string pods;
  for (int i = 0; i < count; ++i) {
    const auto app = "app-" + std::to_string(i / 50);
    const auto environment = field(7, field(1, "ADDRESS") + field(2, "registry.example.com/of/" + app));
    const auto probe =
        field(10, field(1, field(2, field(1, "/healthz/" + app) + field(2, number(1, 0) + number(2, 80)))));
    const auto container = field(1, app) + environment + environment + probe +
                           field(8, field(1, field(1, "cpu") + field(2, field(1, "1")))) + own(i);
    const auto labels =
        field(11, field(1, "app") + field(2, app)) + field(11, field(1, "of-some-length") + field(2, app));
    pods += field(2, field(1, field(1, "pod-" + std::to_string(i)) + field(5, "uid-" + std::to_string(i)) + labels) +
                         field(2, field(2, container) + field(10, "node-" + std::to_string(i % 7))));
  }
  const auto list = body("v1", "PodList", field(1, field(2, "1")) + pods);
  std::vector<meta::Object> objects;
  FunctionSink sink({.on_item = [&](meta::Object pod) { objects.push_back(std::move(pod)); }});
  ProtobufListReader reader({}, sink);
  constexpr std::size_t kPiece = 64 << 10;
  for (std::size_t at = 0; at < list.size(); at += kPiece)
    reader.feed(std::string_view(list).substr(at, kPiece)).value();
  reader.finish().value();
  return objects;
}

TEST(ProtobufTest, PartsOfAListThatRepeatReadAsTheyWereWritten) {
  const auto own = [](int i) { return i % 3 == 0 ? field(5, "/data/" + std::to_string(i)) : std::string(); };
  const auto before = meta::fragment_memory().fragments;
  {
    const auto pods = read_pods(3000, own);
    ASSERT_EQ(pods.size(), 3000U);
    EXPECT_GT(pods.back().shared_bytes(), 0U);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const auto app = "app-" + std::to_string(i / 50);
      const auto container = pods[i].at("/spec/containers/0");
      ASSERT_EQ(container["env"][1]["value"].string(), "registry.example.com/of/" + app);
      ASSERT_EQ(container["livenessProbe"]["httpGet"]["path"].string(), "/healthz/" + app);
      ASSERT_EQ(pods[i].labels()["of-some-length"].string(), app);
      ASSERT_EQ(container["workingDir"].exists(), i % 3 == 0);
    }
  }
  EXPECT_EQ(meta::fragment_memory().fragments, before);
}

TEST(ProtobufTest, APartWithAnUnknownFieldIsNeverTakenForGranted) {
  const auto pods = read_pods(2000, [](int) { return field(8, field(999, "what a newer server knows of resources")); });

  for (const auto& pod : pods) ASSERT_EQ(pod.completeness(), meta::Completeness::Transformed) << pod.name();
}

TEST(ProtobufTest, InvalidUtf8BecomesTheReplacementCharacter) {
  const auto pod = decoded("Pod", field(1, field(1,
                                                 "a\xFF"
                                                 "b\xC3")));

  EXPECT_EQ(pod.name(),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(ProtobufTest, NegativeNumbersAndPackedListsAreRead) {
  std::string packed;
  for (const int value : {1, 300, 5}) append_varint(packed, static_cast<std::uint64_t>(value));
  const auto context = field(4, packed) + number(2, static_cast<std::uint64_t>(-7));

  const auto pod = decoded("Pod", field(2, field(14, context)));

  EXPECT_EQ(meta::to_json(pod["spec"]["securityContext"]["supplementalGroups"]), "[1,300,5]") << meta::to_json(pod);
  EXPECT_EQ(pod["spec"]["securityContext"]["runAsUser"].int_or(0), -7);
}

TEST(ProtobufTest, WrongWireTypesAreErrorsThatNameTheField) {
  const auto bad = parse_protobuf(body("v1", "Pod", number(1, 5)));

  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message().find("core.v1.Pod.metadata"), std::string::npos) << bad.error().message();
}

TEST(ProtobufTest, DeepRecursionIsAnError) {
  std::string schema;
  for (int i = 0; i < 2000; ++i) schema = field(26, schema);  // not: JSONSchemaProps inside itself
  const auto bad = parse_protobuf(
      body("apiextensions.k8s.io/v1", "CustomResourceDefinition", field(2, field(7, field(4, field(1, schema))))));

  EXPECT_FALSE(bad);
}

TEST(ProtobufTest, RandomBytesNeverDoMoreThanFail) {
  std::mt19937 random(7);
  const auto whole = to_protobuf(meta::object_from_json(
                                     R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"y"}},
      "spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"1"}}}]}})"))
                         .value();
  for (int round = 0; round < 20000; ++round) {
    auto bytes = whole;
    for (unsigned i = 0, count = 1 + random() % 4; i < count; ++i)
      bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    const auto object = parse_protobuf(bytes);
    EXPECT_TRUE(!object || !meta::to_json(*object).empty());
    FunctionSink sink({});
    ProtobufListReader list({}, sink);
    (void)list.feed(bytes);
    ProtobufWatchReader watch({}, sink);
    (void)watch.feed(bytes);
  }
}

TEST(ProtobufTest, LimitsOfSizeHold) {
  meta::DecodeOptions options;
  options.max_bytes = 100;

  EXPECT_FALSE(parse_protobuf(body("v1", "Pod", field(1, field(1, std::string(200, 'x')))), options));
  FunctionSink sink({});
  ProtobufListReader list(options, sink);
  EXPECT_FALSE(list.feed(body("v1", "PodList", field(2, field(1, field(1, std::string(200, 'x')))))));
}

TEST(ProtobufTest, AnUnknownKindIsAnError) {
  EXPECT_FALSE(parse_protobuf(body("example.com/v1", "Foo", "")));
  EXPECT_FALSE(to_protobuf(meta::object_from_json(R"({"apiVersion":"example.com/v1","kind":"Foo"})")));
  EXPECT_FALSE(has_protobuf("example.com/v1", "Foo"));
  EXPECT_TRUE(has_protobuf("apps/v1", "Deployment"));
}

TEST(ProtobufTest, EncodingRefusesFieldsItWouldLose) {
  const auto pod =
      meta::object_from_json(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","colour":"red"}]}})");

  const auto refused = to_protobuf(pod);

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("spec.containers[0].colour"), std::string::npos)
      << refused.error().message();
  EXPECT_TRUE(to_protobuf(pod, UnknownFields::Drop));
}

TEST(ProtobufTest, EncodingRefusesValuesOfTheWrongType) {
  const auto refused = to_protobuf(meta::object_from_json(R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":5}})"));

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("spec.nodeName"), std::string::npos) << refused.error().message();
}

// A time that is there and zero is null in JSON; Go writes it as a message without contents, and so it comes back.
TEST(ProtobufTest, ANullTimeIsWrittenAndReadAgainAsItself) {
  const auto pod = decoded("Pod", field(1, field(1, "a") + field(9, "")));
  ASSERT_TRUE(pod["metadata"]["deletionTimestamp"].is_null());

  const auto again = parse_protobuf(to_protobuf(pod).value()).value();

  EXPECT_EQ(again, pod) << meta::to_json(again);
}

TEST(ProtobufTest, NullsOfJsonInsideAreWrittenAndReadAgainAsThemselves) {
  const auto revision = parse_protobuf(body("apps/v1", "ControllerRevision", field(2, ""))).value();
  ASSERT_TRUE(revision["data"].is_null()) << meta::to_json(revision);

  const auto again = parse_protobuf(to_protobuf(revision).value()).value();

  EXPECT_EQ(again, revision) << meta::to_json(again);
}

TEST(ProtobufTest, WatchFramesReadBackAsTheirEvents) {
  const auto pod = test::RandomObjects(3).make("core.v1.Pod").value();
  std::vector<meta::WatchEvent> events;
  FunctionSink sink({.on_event = [&](meta::WatchEvent event) { events.push_back(std::move(event)); }});
  ProtobufWatchReader reader({}, sink);

  ASSERT_TRUE(reader.feed(protobuf_watch_frame("MODIFIED", to_protobuf(pod).value())));

  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, meta::WatchEventType::Modified);
  EXPECT_EQ(events[0].object, pod);
}

TEST(ProtobufTest, AReaderThatIsStoppedInsideAnItemOrEventDeliversNothingMoreOfTheChunk) {
  meta::StreamReader* reader = nullptr;
  std::vector<std::string> seen;
  const auto take = [&](const meta::Object& object) {
    seen.emplace_back(object.name());
    if (seen.size() == 2) reader->stop();
  };
  FunctionSink sink({.on_item = take, .on_event = [&](const meta::WatchEvent& event) { take(event.object); }});
  const auto pod = [](const char* name) { return field(1, field(1, name)); };
  const auto list =
      body("v1", "PodList", field(2, pod("a")) + field(2, pod("b")) + field(2, pod("c")) + field(2, "\xff"));
  std::string watch;
  for (const auto* name : {"a", "b", "c"}) watch += protobuf_watch_frame("ADDED", body("v1", "Pod", pod(name)));
  watch += protobuf_watch_frame("ADDED", "nonsense");

  const auto read = [&](meta::StreamReader& by, std::string_view bytes, std::size_t first) {
    reader = &by;
    seen.clear();
    EXPECT_TRUE(by.feed(bytes.substr(0, first)));
    EXPECT_TRUE(by.feed(bytes.substr(first)));
    EXPECT_TRUE(by.feed("more nonsense"));
    EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"})) << first;
  };
  for (const std::size_t tenths : {0, 4}) {  // the second whole in its chunk, or begun in the one before
    ProtobufListReader lists({}, sink);
    read(lists, list, list.size() * tenths / 10);
    ProtobufWatchReader watches({}, sink);
    read(watches, watch, watch.size() * tenths / 10);
  }
}

TEST(ProtobufTest, ObjectsOfEveryTypeWithEveryFieldSurviveJsonAndProtobuf) {
  test::RandomObjects random(1);
  std::size_t kinds = 0;
  for (const auto& [name, gvk] : kinds_by_type()) {
    if (find_message(name)->fields.empty()) continue;
    const auto made = random.make(name);
    ASSERT_TRUE(made) << name << ": " << made.error().message();
    const auto object = meta::parse_json(meta::to_json(made->edit().to_object())).value();

    const auto encoded = to_protobuf(object);

    ASSERT_TRUE(encoded) << name << ": " << encoded.error().message();
    const auto back = parse_protobuf(*encoded);
    ASSERT_TRUE(back) << name << ": " << back.error().message();
    ASSERT_EQ(object, *back) << name << ": "
                             << testing::PrintToString(meta::diff_paths(object.root(), back->root(), 5));
    ASSERT_EQ(meta::parse_json(meta::to_json(*back)).value(), object);
    ++kinds;
  }
  EXPECT_GT(kinds, 270U);
}

}  // namespace
}  // namespace kubexx::codec
