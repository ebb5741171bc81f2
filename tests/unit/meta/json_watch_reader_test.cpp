#include <gtest/gtest.h>

#include "kubexx/meta/json_stream.hpp"
#include "support/function_sink.hpp"

namespace kubexx::meta {
namespace {

struct ReadEvents {
  std::vector<std::string> events;
  std::optional<Error> error;
};

ReadEvents read_events(std::string_view stream, std::size_t chunk, const DecodeOptions& options = {}) {
  ReadEvents read;
  FunctionSink sink({.on_event = [&](const WatchEvent& event) {
    read.events.push_back(std::string(to_string(event.type)) + " " + to_json(event.object));
  }});
  JsonWatchReader reader(options, sink);
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    const std::vector<char> part(stream.begin() + static_cast<std::ptrdiff_t>(at),
                                 stream.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, stream.size())));
    if (auto fed = reader.feed({part.data(), part.size()}); !fed) {
      read.error = fed.error();
      return read;
    }
  }
  if (auto finished = reader.finish(); !finished) read.error = finished.error();
  return read;
}

TEST(JsonWatchReaderTest, EventsCutAnywhereComeOutWhole) {
  const std::string_view stream =
      "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a}\\\"{\"}}}\n"
      "{\"object\":{\"kind\":\"Pod\"},\"type\":\"MODIFIED\"}{\"type\":\"DELETED\",\"object\":{}}\r\n"
      " {\"type\":\"BOOKMARK\",\"extra\":[{}],\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}}\n";
  const std::vector<std::string> expected{R"(ADDED {"metadata":{"name":"a}\"{"}})", R"(MODIFIED {"kind":"Pod"})",
                                          "DELETED {}", R"(BOOKMARK {"metadata":{"resourceVersion":"5"}})"};
  for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
    const ReadEvents result = read_events(stream, chunk);
    ASSERT_FALSE(result.error) << chunk << result.error->message();
    EXPECT_EQ(result.events, expected) << chunk;
  }
}

TEST(JsonWatchReaderTest, ProjectionsCutObjectsButNotBookmarksAndErrors) {
  DecodeOptions options;
  options.projection = Projection::paths({"spec"}).value();
  const ReadEvents result =
      read_events(R"({"type":"ADDED","object":{"metadata":{"annotations":{"a":"b"}},"spec":1,"status":2}})"
                  R"({"type":"BOOKMARK","object":{"metadata":{"annotations":{"a":"b"}}}})"
                  R"({"object":{"message":"gone","code":410},"type":"ERROR"})",
                  20, options);
  ASSERT_FALSE(result.error);
  EXPECT_EQ(result.events, (std::vector<std::string>{R"(ADDED {"metadata":{},"spec":1})",
                                                     R"(BOOKMARK {"metadata":{"annotations":{"a":"b"}}})",
                                                     R"(ERROR {"message":"gone","code":410})"}));
}

TEST(JsonWatchReaderTest, WhatIsNoEventIsAnError) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"garbage", "watch: byte 0: an event begins with '{'"},
      {"\n[1]", "watch: byte 1: an event begins with '{'"},
      {R"({"type":"ADDED"})", "watch: byte 0: json: byte 0: a watch event without object"},
      {R"({"object":{}})", "watch: byte 0: json: byte 0: a watch event without type"},
      {"{}", "watch: byte 0: json: byte 0: a watch event without type"},
      {R"({"type":5,"object":{}})", "watch: byte 0: json: byte 8: the type of an event is not a string"},
      {R"({"type":"ADDED","object":})", "watch: byte 0: json: byte 25: unexpected character"},
      {R"({"type":"ADDED","object":{"a"}})", "watch: byte 0: json: byte 29: expected ':'"},
      {R"({"type":"ADDED","object":{},})", "watch: byte 0: json: byte 28: expected a key"},
      {R"({"type":"ADDED" "object":{}})", "watch: byte 0: json: byte 16: expected ',' or '}'"},
      {R"({"type":"ADDED","object":{}} {"type)", "watch: byte 35: the stream ends inside an event"},
      {R"({"type":"ADDED","object":{}} ,)", "watch: byte 29: an event begins with '{'"},
  };
  for (const auto& [stream, message] : cases) {
    const ReadEvents result = read_events(stream, 1000);
    ASSERT_TRUE(result.error) << stream;
    EXPECT_EQ(result.error->message(), message) << stream;
  }
}

TEST(JsonWatchReaderTest, AnEventBeyondTheLimitIsAnErrorBeforeItIsWhole) {
  DecodeOptions options;
  options.max_bytes = 1000;
  const ReadEvents result = read_events(R"({"type":"ADDED","object":{"a":")" + std::string(1 << 20, 'x'), 500, options);
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->message().find("larger than the limit"), std::string::npos);
}

TEST(JsonWatchReaderTest, BufferedIsWhatWaitsForItsEnd) {
  FunctionSink sink({});
  JsonWatchReader reader({}, sink);
  EXPECT_EQ(reader.buffered(), 0U);
  ASSERT_TRUE(reader.feed(R"({"type":)"));
  EXPECT_EQ(reader.buffered(), 8U);
  ASSERT_TRUE(reader.feed(R"("ADDED","object":{}})"));
  EXPECT_EQ(reader.buffered(), 0U);
}

TEST(JsonWatchReaderTest, AReaderThatIsStoppedInsideAnEventDeliversNothingMoreOfTheChunk) {
  std::vector<std::string> seen;
  std::optional<JsonWatchReader> reader;
  FunctionSink sink({.on_event = [&](const WatchEvent& event) {
    seen.emplace_back(event.object.name());
    if (seen.size() == 2) reader->stop();
  }});
  for (const bool cut : {false, true}) {  // the second event whole in its chunk, or begun in the one before
    seen.clear();
    reader.emplace(DecodeOptions{}, sink);
    const std::string stream =
        R"({"type":"ADDED","object":{"metadata":{"name":"a"}}}{"type":"ADDED","object":{"metadata":{"name":"b"}}})"
        R"({"type":"ADDED","object":{"metadata":{"name":"c"}}} no event)";
    const std::size_t first = cut ? 60 : 0;
    EXPECT_TRUE(reader->feed(std::string_view(stream).substr(0, first)));
    EXPECT_TRUE(reader->feed(std::string_view(stream).substr(first)));
    EXPECT_TRUE(reader->feed(stream));
    EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
  }
}

TEST(JsonWatchReaderTest, TheBookmarkThatEndsTheInitialEventsIsRemembered) {
  FunctionSink sink({});
  JsonWatchReader reader({}, sink);
  ASSERT_TRUE(reader.feed(R"({"type":"ADDED","object":{}}{"type":"BOOKMARK","object":{"metadata":{}}})"));
  EXPECT_FALSE(reader.initial_events_ended());
  ASSERT_TRUE(
      reader.feed(R"({"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}})"));
  EXPECT_TRUE(reader.initial_events_ended());
}

}  // namespace
}  // namespace kubexx::meta
