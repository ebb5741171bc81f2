#include <gtest/gtest.h>

#include <random>

#include "corpus/pod_corpus.hpp"
#include "kubexx/meta/json_stream.hpp"

namespace kubexx::meta {
namespace {

std::string sample_pod() {
  return bench::PodCorpus::large_sets(true).pod(3);
}

TEST(JsonBadInputTest, APodCutAtAnyByteIsAnErrorThatSaysWhere) {
  const std::string pod = sample_pod();
  JsonDecoder decoder;
  for (std::size_t size = 0; size < pod.size(); ++size) {
    const std::vector<char> exact(pod.begin(), pod.begin() + static_cast<std::ptrdiff_t>(size));
    const auto result = decoder.decode({exact.data(), exact.size()});
    ASSERT_FALSE(result) << size;
    ASSERT_NE(result.error().message().find("byte "), std::string::npos) << result.error().message();
    ASSERT_EQ(result.error().kind(), ErrorKind::Decode);
  }
  EXPECT_TRUE(decoder.decode(pod));
}

TEST(JsonBadInputTest, AChangedByteIsAnErrorOrADocumentThatPrintsAndReadsAgain) {
  const std::string pod = bench::PodCorpus::large_sets(false).pod(3);
  JsonDecoder decoder;
  for (const char wrong : {'\0', '"', '\\', '{', ']', ',', '9', '\xff', ' '}) {
    for (std::size_t at = 0; at < pod.size(); ++at) {
      std::string text = pod;
      text[at] = wrong;
      const auto result = decoder.decode(text);
      if (!result) continue;
      const std::string printed = to_json(*result);
      ASSERT_EQ(decoder.decode(printed).value(), *result) << at << wrong;
    }
  }
}

TEST(JsonBadInputTest, InvalidUtf8IsAnErrorAtItsByte) {
  for (const std::string_view bytes : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                                       "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xe2\x82"}) {
    const auto in_value = parse_json(R"({"name":"ok)" + std::string(bytes) + "\"}");
    ASSERT_FALSE(in_value);
    EXPECT_EQ(in_value.error().message(), "json: byte 11: invalid UTF-8");
    EXPECT_FALSE(parse_json("{\"" + std::string(bytes) + "\":1}"));
  }
}

TEST(JsonBadInputTest, NestingIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(256)));
  const auto result = parse_json(nested(257));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "json: byte 256: nested too deeply");

  std::string maps;
  for (int i = 0; i < 257; ++i) maps += "{\"a\":";
  EXPECT_FALSE(parse_json(maps + "1" + std::string(257, '}')));
  EXPECT_FALSE(parse_json(nested(1'000'000), {.max_depth = 2'000'000'000}));
  EXPECT_FALSE(parse_json(nested(2), {.max_depth = 1}));
}

TEST(JsonBadInputTest, ATextOverTheLimitIsRefusedUnread) {
  const std::string text = "[\"" + std::string(100 << 20, 'x') + "\"]";
  const auto result = parse_json(text);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "json: 104857604 bytes, more than the limit of 8388608");

  const std::string eight = "[\"" + std::string((8 << 20) - 4, 'x') + "\"]";
  EXPECT_TRUE(parse_json(eight));
  EXPECT_FALSE(parse_json(eight + " "));
}

TEST(JsonBadInputTest, RandomBytesAreErrors) {
  std::mt19937_64 random(7);
  JsonDecoder decoder;
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random());
    // Only a digit or two could be JSON by chance.
    ASSERT_TRUE(text.size() <= 3 || !decoder.decode(text)) << text;
  }
}

TEST(JsonBadInputTest, AMapOfManyStrangersInAnyOrderStaysUsable) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i)
    text += "\"k" + std::to_string((i * 7919LL) % 100'003) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const Object object = parse_json(text).value();
  EXPECT_EQ(object.root().size(), 100'000U);
  EXPECT_EQ(object["k7919"].get_int(), 1);
  EXPECT_FALSE(object["k100003"].exists());
}

}  // namespace
}  // namespace kubexx::meta
