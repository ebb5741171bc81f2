#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kubexx/meta/json.hpp"
#include "paths.hpp"
#include "rest/body_decoder.hpp"
#include "support/fixture_executor.hpp"
#include "support/function_sink.hpp"
#include "unit/rest/fake_transport.hpp"

namespace kubexx::rest {
namespace {

/// Exchanges recorded from a real server, beside the source tree; empty: there are none here.
std::filesystem::path traces() {
  for (const auto* up : {"/../shared/traces", "/../../shared/traces"}) {
    const std::filesystem::path folder = std::string(KUBEXX_SOURCE_DIR) + up;
    if (std::filesystem::is_directory(folder)) return folder;
  }
  return {};
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Recorded {
  int status = 0;
  transport::Headers headers;
  std::string body;
};

Recorded recorded(const std::string& name) {
  const auto head = meta::parse_json(read_file(traces() / (name + ".json"))).value();
  Recorded out;
  out.status = static_cast<int>(head["status"].int_or(0));
  for (const auto field : head["responseHeaders"].items()) {
    out.headers.add(std::string(field[0].string()), std::string(field[1].string()));
  }
  out.body = read_file(traces() / (name + ".body"));
  return out;
}

/// What a watch stream says, fed in these pieces; then how it ended.
std::vector<std::string> read_in_pieces(const Recorded& stream, const std::vector<std::string_view>& pieces) {
  std::vector<std::string> seen;
  FunctionSink sink({.on_event = [&](const meta::WatchEvent& event) {
    seen.push_back(std::string(meta::to_string(event.type)) + " " + meta::to_json(event.object));
  }});
  auto reader = make_watch_reader(stream.headers, {}, sink).value();
  for (const auto piece : pieces) {
    if (auto fed = reader->feed(piece); !fed) {
      seen.push_back("failed: " + fed.error().message());
      return seen;
    }
  }
  seen.emplace_back(reader->finish() ? "whole" : "cut");
  return seen;
}

class RecordedWatchTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (traces().empty()) GTEST_SKIP() << "no recorded exchanges beside the source tree";
  }
};

INSTANTIATE_TEST_SUITE_P(Traces, RecordedWatchTest,
                         testing::Values("070-watch-json", "071-watch-protobuf", "072-watch-selector-leaves",
                                         "073-watchlist-json", "074-watchlist-protobuf", "075-watch-metadata-protobuf",
                                         "077-watch-version-in-future", "079-watch-one-object", "080-watch-table",
                                         "091-cr-watch-until-crd-removed", "901-watch-version-too-old-410",
                                         "902-watch-version-too-old-410-protobuf"));

TEST_P(RecordedWatchTest, SaysTheSameCutAtAnyByte) {
  const auto stream = recorded(GetParam());
  ASSERT_EQ(stream.status, 200);
  const std::string_view body = stream.body;
  const auto whole = read_in_pieces(stream, {body});
  ASSERT_EQ(whole.back(), "whole");
  EXPECT_TRUE(body.empty() || whole.size() > 1);

  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    ASSERT_EQ(read_in_pieces(stream, {body.substr(0, cut), body.substr(cut)}), whole) << "cut at " << cut;
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < body.size(); ++i) bytes.push_back(body.substr(i, 1));
  EXPECT_EQ(read_in_pieces(stream, bytes), whole);
}

TEST_P(RecordedWatchTest, EndedEarlyItGivesTheEventsThatWereWholeAndNoOther) {
  const auto stream = recorded(GetParam());
  const auto whole = read_in_pieces(stream, {stream.body});

  for (std::size_t end = 0; end < stream.body.size(); ++end) {
    auto seen = read_in_pieces(stream, {std::string_view(stream.body).substr(0, end)});
    ASSERT_THAT(seen.back(), testing::AnyOf("whole", "cut")) << end;
    seen.pop_back();
    ASSERT_LT(seen.size(), whole.size());
    ASSERT_TRUE(std::equal(seen.begin(), seen.end(), whole.begin())) << end;
  }
}

TEST(RecordedRefusalTest, ARefusedWatchIsTheErrorOfItsStatus) {
  if (traces().empty()) GTEST_SKIP() << "no recorded exchanges beside the source tree";
  for (const auto* name : {"076-watchlist-without-match-422", "078-watch-bad-version-500"}) {
    const auto answer = recorded(name);
    const FixtureExecutor executor;
    const auto transport = std::make_shared<FakeTransport>(executor);
    FakeTransport::Answer scripted;
    scripted.status = answer.status;
    scripted.headers = answer.headers;
    for (const char byte : answer.body) scripted.chunks.emplace_back(1, byte);
    transport->answers.push_back(scripted);
    Config config;
    config.host = "https://server.example";
    ClientOptions options;
    options.transport = transport;
    options.executor = executor;
    options.handlers = executor;
    const auto client = Client::create(config, options).value();
    std::optional<Error> end;

    const auto watch = client.watch({{"", "v1", "configmaps"}, "", "", ""}, {}, {}, Strand(executor),
                                    make_sink({.on_end = [&](const Result<meta::ListMeta>& ended) {
                                      if (!ended) end = ended.error();
                                    }}));
    executor->run_until_idle();

    ASSERT_TRUE(end) << name;
    EXPECT_EQ(end->code(), answer.status);
    EXPECT_EQ(end->message(), meta::parse_json(answer.body).value()["message"].string());
  }
}

}  // namespace
}  // namespace kubexx::rest
