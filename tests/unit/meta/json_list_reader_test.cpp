#include <gtest/gtest.h>

#include "kubexx/meta/json_stream.hpp"
#include "support/function_sink.hpp"

namespace kubexx::meta {
namespace {

struct Read {
  std::vector<std::string> items;
  std::optional<Error> error;
  ListMeta meta;
};

Read read(std::string_view body, std::size_t chunk, const DecodeOptions& options = {}) {
  Read read;
  FunctionSink sink({.on_item = [&](const Object& item) { read.items.push_back(to_json(item)); }});
  JsonListReader reader(options, sink);
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    // A copy of the exact size, so that a read beyond the chunk is noticed.
    const std::vector<char> part(body.begin() + static_cast<std::ptrdiff_t>(at),
                                 body.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, body.size())));
    if (auto fed = reader.feed({part.data(), part.size()}); !fed) {
      read.error = fed.error();
      return read;
    }
  }
  auto meta = reader.finish();
  if (meta) {
    read.meta = *meta;
  } else {
    read.error = meta.error();
  }
  return read;
}

constexpr std::string_view kBody =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"77","continue":"tok","remainingItemCount":5},)"
    R"("items":[{"metadata":{"name":"a{\"}[","labels":{"\\":"\\\\\""}}}, {"metadata":{"name":"b"},"kind":"Other"},)"
    "\n  {}]}\n  ";

TEST(JsonListReaderTest, ChunksOfEverySizeGiveTheSameItemsAndMetadata) {
  const Read whole = read(kBody, kBody.size());
  ASSERT_FALSE(whole.error) << whole.error->message();
  EXPECT_EQ(
      whole.items,
      (std::vector<std::string>{
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a{\"}[","labels":{"\\":"\\\\\""}}})",
          R"({"apiVersion":"v1","metadata":{"name":"b"},"kind":"Other"})", R"({"apiVersion":"v1","kind":"Pod"})"}));
  EXPECT_EQ(whole.meta.kind, "PodList");
  EXPECT_EQ(whole.meta.api_version, "v1");
  EXPECT_EQ(whole.meta.resource_version, "77");
  EXPECT_EQ(whole.meta.continue_token, "tok");
  EXPECT_EQ(whole.meta.remaining_item_count, 5);
  for (std::size_t chunk = 1; chunk < kBody.size(); ++chunk) {
    const Read parts = read(kBody, chunk);
    ASSERT_FALSE(parts.error) << chunk << parts.error->message();
    EXPECT_EQ(parts.items, whole.items) << chunk;
    EXPECT_EQ(parts.meta.resource_version, "77");
  }
}

TEST(JsonListReaderTest, LongItemsWithBackslashesAtEveryOffsetAreSplitRight) {
  for (std::size_t pad = 0; pad < 130; ++pad) {
    const std::string text = std::string(pad, 'x') + R"(\\\\\" } { \\)";
    const std::string body =
        R"({"items":[{"a":")" + text + R"("},{"b":")" + text + R"(","c":{"d":[{}]}}],"kind":"XList"})";
    for (const std::size_t chunk : {body.size(), std::size_t{64}, std::size_t{63}, std::size_t{1}}) {
      const Read result = read(body, chunk);
      ASSERT_FALSE(result.error) << pad << " " << chunk << " " << result.error->message();
      ASSERT_EQ(result.items.size(), 2U);
      EXPECT_EQ(result.items[0], R"({"a":")" + text + "\"}");
    }
  }
}

TEST(JsonListReaderTest, HeaderFieldsMayStandBehindTheItems) {
  const Read result = read(
      R"({"extra":{"items":[1,{"x":"]"}]},"items":[{"a":1}],"metadata":{"resourceVersion":"9"},"kind":"FooList","apiVersion":"g/v1"})",
      7);
  ASSERT_FALSE(result.error) << result.error->message();
  EXPECT_EQ(result.items, std::vector<std::string>{R"({"a":1})"});
  EXPECT_EQ(result.meta.resource_version, "9");
  EXPECT_EQ(result.meta.kind, "FooList");
}

TEST(JsonListReaderTest, ItemsOfAGenericListKeepTheirOwnType) {
  const Read result = read(R"({"kind":"List","apiVersion":"v1","items":[{"kind":"A","apiVersion":"b/v1"},{}]})", 1000);
  EXPECT_EQ(result.items, (std::vector<std::string>{R"({"kind":"A","apiVersion":"b/v1"})", "{}"}));
}

TEST(JsonListReaderTest, NoItemsAndNullItemsAreAnEmptyList) {
  for (const std::string_view body : {R"({"kind":"PodList","items":[]})", R"({"kind":"PodList","items": null})",
                                      R"({"kind":"PodList"})", R"({"items":[ ]})"}) {
    const Read result = read(body, 3);
    EXPECT_FALSE(result.error) << body << result.error->message();
    EXPECT_TRUE(result.items.empty());
  }
}

TEST(JsonListReaderTest, WhatIsNoListIsAnError) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "list: byte 0: empty body"},
      {"  ", "list: byte 2: empty body"},
      {"[]", "list: byte 0: a list begins with '{'"},
      {"<html>", "list: byte 0: a list begins with '{'"},
      {R"({"kind":"Status","code":500})", "list: the body has no items, its kind is \"Status\""},
      {R"({"items":{"a":[]}})", "list: \"items\" is not a list of objects"},
      {R"({"items":[1]})", "list: byte 10: an item is not an object"},
      {R"({"items":[null]})", "list: byte 10: an item is not an object"},
      {R"({"items":[{},]})", "list: byte 13: an item is not an object"},
      {R"({"items":[,{}]})", "list: byte 10: an item is not an object"},
      {R"({"items":[{}{}]})", "list: byte 12: expected ',' or ']' after an item"},
      {R"({"items":[{"a":1},{"a":tru}]})", "list: byte 18: item 1: json: byte 5: unexpected word"},
      {R"({"items":[]} x)", "list: byte 13: unexpected data after the list"},
      {R"({"items":[]}{)", "list: byte 12: unexpected data after the list"},
      {R"({"items":[],"kind":})", "list without its items: json: byte 19: unexpected character"},
      {R"({"items":[{"a")", "list: byte 14: the body ends inside item 0"},
      {R"({"items":[{})", "list: byte 12: the body ends inside the list"},
      {R"({"items":[{}])", "list: byte 13: the body ends inside the list"},
      {R"({"items" x :[{"a":1}]})", "list without its items: json: byte 9: expected ':'"},
  };
  for (const auto& [body, message] : cases) {
    const Read result = read(body, 1000);
    ASSERT_TRUE(result.error) << body;
    EXPECT_EQ(result.error->message(), message) << body;
  }
}

TEST(JsonListReaderTest, EveryTruncationOfABodyIsAnError) {
  const std::string_view body = kBody.substr(0, kBody.rfind('}') + 1);
  for (std::size_t size = 0; size < body.size(); ++size) EXPECT_TRUE(read(body.substr(0, size), 50).error) << size;
}

TEST(JsonListReaderTest, AnItemBeyondTheLimitIsAnErrorBeforeItIsWhole) {
  DecodeOptions options;
  options.max_bytes = 1000;
  const std::string endless = R"({"items":[{"a":")" + std::string(5000, 'x');
  const Read result = read(endless, 100, options);
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->message().find("item 0 is larger than the limit of 1000 bytes"), std::string::npos);

  const Read header = read(R"({"kind":")" + std::string(5000, 'x'), 100, options);
  ASSERT_TRUE(header.error);
  EXPECT_NE(header.error->message().find("beside the items is too large"), std::string::npos);
}

TEST(JsonListReaderTest, AnErrorStays) {
  FunctionSink sink({});
  JsonListReader reader({}, sink);
  ASSERT_FALSE(reader.feed("nonsense"));
  EXPECT_FALSE(reader.feed(R"({"items":[]})"));
  EXPECT_FALSE(reader.finish());
}

TEST(JsonListReaderTest, ItemsThatAreMetadataOnlyGetTheKindThatTheReaderWasTold) {
  constexpr std::string_view kPartial =
      R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[)"
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}},)"
      R"({"metadata":{"name":"b"}}]})";
  DecodeOptions told;
  told.default_api_version = "v1";
  told.default_kind = "Pod";

  EXPECT_EQ(read(kPartial, 7, told).items,
            (std::vector<std::string>{R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})",
                                      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}})"}));
  EXPECT_EQ(read(kPartial, 7).items[1],
            R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"b"}})");
}

TEST(JsonListReaderTest, AReaderThatIsStoppedInsideAnItemDeliversNothingMoreOfTheChunk) {
  std::vector<std::string> seen;
  std::optional<JsonListReader> reader;
  FunctionSink sink({.on_item = [&](const Object& item) {
    seen.emplace_back(item.name());
    if (seen.size() == 2) reader->stop();
  }});
  for (const std::size_t first : {0, 45}) {  // the second item whole in its chunk, or begun in the one before
    seen.clear();
    reader.emplace(DecodeOptions{}, sink);
    const std::string_view body =
        R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}}, nonsense)";
    EXPECT_TRUE(reader->feed(body.substr(0, first)));
    EXPECT_TRUE(reader->feed(body.substr(first)));
    EXPECT_TRUE(reader->feed("more nonsense"));
    EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
  }
}

}  // namespace
}  // namespace kubexx::meta
