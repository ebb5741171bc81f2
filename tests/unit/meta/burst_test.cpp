/// What one large object took of a reader's buffers is given back before the stream ends, which may be hours later.
#include <gtest/gtest.h>

#include "kubexx/meta/json_stream.hpp"
#include "support/burst_cost.hpp"
#include "support/function_sink.hpp"

namespace kubexx::meta {
namespace {

constexpr std::size_t kLarge = 7 << 20;
constexpr std::ptrdiff_t kKept = 3 << 20;  // a megabyte a buffer

/// With an escape, so that it has to be copied.
std::string config_map_of(std::size_t bytes) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"v":")" + std::string(bytes, 'x') +
         R"(\n"}})";
}

/// All but the last byte, which ends the object, in pieces.
void feed_most(StreamReader& reader, std::string_view text) {
  text.remove_suffix(1);
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 16384))) {
    ASSERT_TRUE(reader.feed(text.substr(0, 16384)));
  }
}

TEST(JsonBurstTest, AWatchGivesBackWhatALargeObjectTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  std::size_t events = 0;
  FunctionSink sink({.on_event = [&](const WatchEvent&) { ++events; }});
  JsonWatchReader reader({}, sink);

  const auto spent = test::cost_of_burst(
      kLarge,
      [&](std::size_t bytes) { feed_most(reader, R"({"type":"ADDED","object":)" + config_map_of(bytes) + "}"); },
      [&] {
        ASSERT_TRUE(reader.feed("}"));
        feed_most(reader, R"({"type":"ADDED","object":{"kind":"ConfigMap"}})");  // the next one, a small one
        ASSERT_TRUE(reader.feed("}"));
      });

  EXPECT_EQ(events, 4U);
  EXPECT_TRUE(test::given_back(spent, kLarge, kKept));
}

TEST(JsonBurstTest, AListGivesBackWhatALargeItemTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  std::size_t items = 0;
  FunctionSink sink({.on_item = [&](const Object&) { ++items; }});
  JsonListReader reader({}, sink);
  ASSERT_TRUE(reader.feed(R"({"kind":"ConfigMapList","apiVersion":"v1","items":[{})"));

  const auto spent = test::cost_of_burst(
      kLarge, [&](std::size_t bytes) { feed_most(reader, "," + config_map_of(bytes)); },
      [&] { ASSERT_TRUE(reader.feed("},{}")); });

  EXPECT_EQ(items, 5U);
  EXPECT_TRUE(test::given_back(spent, kLarge, kKept));
}

}  // namespace
}  // namespace kubexx::meta
