#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/internal/log_lines.hpp"
#include "meta/internal/nano_time.hpp"

namespace kubexx::client {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(const std::vector<std::string>& pieces, std::size_t longest) {
  LogLines lines(longest);
  std::vector<std::string> out;
  const auto keep = [&](std::string_view text, bool whole) {
    out.push_back(std::string(text) + (whole ? "" : "..."));
    return true;
  };
  for (const auto& piece : pieces) lines.take(piece, keep);
  lines.end(keep);
  return out;
}

TEST(LineSplitterTest, ALongLineComesInPiecesThatAreMarkedButForTheLast) {
  EXPECT_THAT(split({"abcdefgh\nij\n"}, 3), ElementsAre("abc...", "def...", "gh", "ij"));
  EXPECT_THAT(split({"abc\n", "abcd", "\n"}, 3), ElementsAre("abc", "abc...", "d"));
}

TEST(LineSplitterTest, WherePiecesOfALineEndDoesNotDependOnHowItArrives) {
  const std::string text = "abcdefghij\n\nk\nlmnopq";
  const auto whole = split({text}, 4);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(split({text.substr(0, at), text.substr(at)}, 4), whole) << at;
  }
}

TEST(LineSplitterTest, BytesThatAreNoTextPass) {
  const std::string bytes("\xff\xfe\0\x80", 4);
  EXPECT_THAT(split({bytes + "\n"}, 100), ElementsAre(bytes));
}

TEST(NanoTimeTest, ATimeSurvivesItsText) {
  for (const std::int64_t nanos :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'700'000'000'123'456'789}, std::int64_t{-1}}) {
    const WallTime time{Duration(nanos)};
    EXPECT_EQ(meta::parse_nano_text(meta::to_nano_text(time)), time) << meta::to_nano_text(time);
  }
  EXPECT_EQ(meta::to_nano_text(WallTime(Duration(5))), "1970-01-01T00:00:00.000000005Z");
}

TEST(NanoTimeTest, OffsetsAndShorterFractionsAreRead) {
  EXPECT_EQ(meta::parse_nano_text("1970-01-01T02:00:00.5+02:00"), WallTime(Duration(500'000'000)));
  EXPECT_EQ(meta::parse_nano_text("1970-01-01T00:00:01Z"), WallTime(std::chrono::seconds(1)));
  EXPECT_EQ(meta::parse_nano_text("1970-01-01T00:00:00.1234567899Z"), WallTime(Duration(123'456'789)));
  EXPECT_FALSE(meta::parse_nano_text("rpc"));
  EXPECT_FALSE(meta::parse_nano_text(""));
  EXPECT_FALSE(meta::parse_nano_text("9999-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace kubexx::client
