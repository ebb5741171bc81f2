#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "support/function_sink.hpp"
#include "traces.hpp"

namespace kubexx::codec {
namespace {

using test::read_file;

/// Objects inside an object lose apiVersion and kind on the protobuf wire.
meta::Object without_nested_kinds(const meta::Object& object) {
  auto draft = object.edit();
  const auto templates = draft.at("/spec/volumeClaimTemplates");
  for (std::size_t i = 0; i < templates.size(); ++i) {
    templates[i].erase("apiVersion");
    templates[i].erase("kind");
  }
  return draft.to_object();
}

struct Twin {
  std::string name;
  std::string json;
  std::string protobuf;
};

std::vector<Twin> twins() {
  std::map<std::string, Twin> found;
  const auto folder = test::traces();
  if (folder.empty()) return {};
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    const auto twin = name.find("-twin-");
    if (twin == std::string::npos || !name.ends_with(".body")) continue;
    auto kind = name.substr(twin + 6, name.size() - twin - 6 - 5);
    if (kind.ends_with("-json")) found[kind.substr(0, kind.size() - 5)].json = read_file(file.path());
    if (kind.ends_with("-protobuf")) found[kind.substr(0, kind.size() - 9)].protobuf = read_file(file.path());
  }
  std::vector<Twin> out;
  for (auto& [name, twin] : found) {
    if (!twin.json.empty() && !twin.protobuf.empty()) out.push_back({name, twin.json, twin.protobuf});
  }
  return out;
}

TEST(TwinsTest, ProtobufDecodesToTheObjectOfItsJsonTwin) {
  const auto all = twins();
  if (all.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  EXPECT_GE(all.size(), 30U);
  for (const auto& twin : all) {
    const auto expected = without_nested_kinds(meta::parse_json(twin.json).value());

    const auto decoded = parse_protobuf(twin.protobuf);

    ASSERT_TRUE(decoded) << twin.name << ": " << decoded.error().message();
    EXPECT_EQ(expected, *decoded) << twin.name << ": "
                                  << testing::PrintToString(meta::diff_paths(expected.root(), decoded->root()));
    EXPECT_EQ(decoded->completeness(), meta::Completeness::Full) << twin.name << ": " << decoded->projection_name();
  }
}

TEST(TwinsTest, EncodingTheJsonTwinGivesBytesThatDecodeToTheSame) {
  const auto all = twins();
  if (all.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  for (const auto& twin : all) {
    const auto expected = without_nested_kinds(meta::parse_json(twin.json).value());

    const auto encoded = to_protobuf(expected);

    ASSERT_TRUE(encoded) << twin.name << ": " << encoded.error().message();
    const auto decoded = parse_protobuf(*encoded);
    ASSERT_TRUE(decoded) << twin.name << ": " << decoded.error().message();
    EXPECT_EQ(expected, *decoded) << twin.name << ": "
                                  << testing::PrintToString(meta::diff_paths(expected.root(), decoded->root()));
  }
}

TEST(TwinsTest, ProjectionsGiveWhatTheJsonDecoderGives) {
  const auto all = twins();
  if (all.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  const std::vector<meta::Projection> projections = {
      meta::Projection::without_managed_fields(), meta::Projection::metadata_only(),
      meta::Projection::paths({"spec.containers.image", "status.phase", "metadata.labels"}).value()};
  for (const auto& twin : all) {
    for (const auto& projection : projections) {
      meta::DecodeOptions options;
      options.projection = projection;
      auto expected = meta::parse_json(twin.json, options).value();
      if (twin.name.find("statefulset") != std::string::npos) continue;

      const auto decoded = parse_protobuf(twin.protobuf, options);

      ASSERT_TRUE(decoded) << twin.name << ": " << decoded.error().message();
      EXPECT_EQ(expected, *decoded) << twin.name << " " << projection.name();
      EXPECT_EQ(expected.completeness(), decoded->completeness());
    }
  }
}

TEST(TwinsTest, EveryTruncationOfABodyIsAnError) {
  const auto all = twins();
  if (all.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  for (const auto& twin : all) {
    for (std::size_t size = 0; size + 4 < twin.protobuf.size(); ++size) {  // the last four bytes are two empty fields
      ASSERT_FALSE(parse_protobuf(std::string_view(twin.protobuf).substr(0, size))) << twin.name << " at " << size;
    }
  }
}

TEST(TwinsTest, RecordedListsAreReadFromChunksOfAnySize) {
  const auto folder = test::traces();
  if (folder.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  for (const auto* name : {"067-list-metadata-protobuf.body", "068-list-protobuf.body"}) {
    const auto body = read_file(folder / name);
    std::vector<meta::Object> whole;
    for (const std::size_t size : {body.size(), std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
      std::vector<meta::Object> items;
      FunctionSink sink({.on_item = [&](meta::Object item) { items.push_back(std::move(item)); }});
      ProtobufListReader reader({}, sink);

      for (std::size_t at = 0; at < body.size(); at += size) {
        const auto fed = reader.feed(std::string_view(body).substr(at, size));
        ASSERT_TRUE(fed) << name << ": " << fed.error().message();
      }
      const auto meta = reader.finish();

      ASSERT_TRUE(meta) << name << ": " << meta.error().message();
      EXPECT_FALSE(meta->resource_version.empty());
      EXPECT_TRUE(meta->kind.ends_with("List"));
      EXPECT_FALSE(items.empty());
      if (whole.empty()) whole = items;
      EXPECT_EQ(whole, items);
      for (const auto& item : items) EXPECT_EQ(std::string(item.kind()) + "List", meta->kind);
    }
  }
}

TEST(TwinsTest, RecordedWatchesAreReadFromChunksOfAnySize) {
  const auto folder = test::traces();
  if (folder.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  for (const auto* name : {"071-watch-protobuf.body", "074-watchlist-protobuf.body", "075-watch-metadata-protobuf.body",
                           "902-watch-version-too-old-410-protobuf.body"}) {
    const auto body = read_file(folder / name);
    for (const std::size_t size : {body.size(), std::size_t{1}, std::size_t{13}}) {
      std::size_t events = 0;
      FunctionSink sink({.on_event = [&](const meta::WatchEvent& event) {
        ++events;
        EXPECT_NE(event.type, meta::WatchEventType::Unknown);
        EXPECT_FALSE(event.object.kind().empty());
      }});
      ProtobufWatchReader reader({}, sink);

      for (std::size_t at = 0; at < body.size(); at += size) {
        const auto fed = reader.feed(std::string_view(body).substr(at, size));
        ASSERT_TRUE(fed) << name << ": " << fed.error().message();
      }

      EXPECT_TRUE(reader.finish()) << name;
      EXPECT_GT(events, 0U) << name;
    }
  }
}

}  // namespace
}  // namespace kubexx::codec
