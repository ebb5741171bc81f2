/// As of JSON: what one large object took of a reader's buffers is given back before the stream ends.
#include <gtest/gtest.h>

#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/json.hpp"
#include "support/burst_cost.hpp"
#include "support/function_sink.hpp"

namespace kubexx::codec {
namespace {

constexpr std::size_t kLarge = 6 << 20;
constexpr std::ptrdiff_t kMostKept = 3 << 20;  // a megabyte a buffer

std::string config_map_of(std::size_t bytes) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"binaryData":{"v":")" +
         std::string(bytes / 4 * 4, 'A') + R"("}})";
}

TEST(ProtobufBurstTest, AWatchGivesBackWhatALargeObjectTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  std::size_t events = 0;
  FunctionSink sink({.on_event = [&](const meta::WatchEvent&) { ++events; }});
  ProtobufWatchReader reader({}, sink);
  std::string last;

  const auto spent = test::cost_of_burst(
      kLarge,
      [&](std::size_t bytes) {
        const auto frame =
            protobuf_watch_frame("ADDED", to_protobuf(meta::object_from_json(config_map_of(bytes))).value());
        last = frame.substr(frame.size() - 8);
        ASSERT_TRUE(reader.feed(std::string_view(frame).substr(0, frame.size() - 8)));
      },
      [&] { ASSERT_TRUE(reader.feed(last)); });

  EXPECT_EQ(events, 2U);
  EXPECT_TRUE(test::given_back(spent, kLarge / 2, kMostKept));
}

TEST(ProtobufBurstTest, AListGivesBackWhatALargeItemTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  std::size_t items = 0;
  FunctionSink sink({.on_item = [&](const meta::Object&) { ++items; }});
  std::unique_ptr<ProtobufListReader> reader;
  std::string last;

  const auto spent = test::cost_of_burst(
      kLarge,
      [&](std::size_t bytes) {
        const auto list = to_protobuf(meta::object_from_json(R"({"kind":"ConfigMapList","apiVersion":"v1","items":[)" +
                                                             config_map_of(bytes) + "]}"))
                              .value();
        const std::size_t cut = list.size() - std::min<std::size_t>(list.size() / 2, 64);
        last = list.substr(cut);
        reader = std::make_unique<ProtobufListReader>(meta::DecodeOptions(), sink);
        ASSERT_TRUE(reader->feed(std::string_view(list).substr(0, cut)));
      },
      [&] { ASSERT_TRUE(reader->feed(last)); });

  EXPECT_EQ(items, 2U);
  EXPECT_TRUE(test::given_back(spent, kLarge / 2, kMostKept));
}

}  // namespace
}  // namespace kubexx::codec
