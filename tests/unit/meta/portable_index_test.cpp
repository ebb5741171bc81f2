#include <gtest/gtest.h>

#include "corpus/pod_corpus.hpp"
#include "kubexx/meta/json.hpp"
#include "meta/json/json_walker.hpp"
#include "meta/json/portable_index.hpp"
#include "unit/meta/random_document.hpp"

namespace kubexx::meta::detail {
namespace {

using Offsets = std::vector<std::uint32_t>;

/// What the build's own index finds; empty: it refuses the text.
Offsets indexed(const std::string& json) {
  JsonIndex index;
  const auto built = index.build(json);
  return built ? Offsets(index.begin(), index.end()) : Offsets();
}

Offsets indexed_portably(const std::string& json) {
  Offsets offsets;
  if (!index_portably(json, offsets)) return {};
  EXPECT_EQ(Offsets(offsets.end() - kBehindTheLast, offsets.end()),
            Offsets({static_cast<std::uint32_t>(json.size()), static_cast<std::uint32_t>(json.size()), 0}));
  offsets.resize(offsets.size() - kBehindTheLast);
  return offsets;
}

TEST(PortableIndexTest, FindsBracketsColonsCommasAndTheBeginningsOfValues) {
  EXPECT_EQ(indexed_portably(R"({"a": [1, -2.5e3,true],"b\"c" :"}"})"),
            Offsets({0, 1, 4, 6, 7, 8, 10, 16, 17, 21, 22, 23, 30, 31, 34}));
  EXPECT_EQ(indexed_portably(" null "), Offsets({1}));
  EXPECT_EQ(indexed_portably(R"("\\")"), Offsets({0}));
}

TEST(PortableIndexTest, RefusesWhatTheOtherRefuses) {
  for (const std::string text :
       {"", " \n", R"("open)", R"("open\")", "\"a\nb\"", "\"a\\\nb\"", "\"\xff\"", "[\xc3]", R"({"a":"b)"}) {
    EXPECT_TRUE(indexed(text).empty()) << text;
    EXPECT_TRUE(indexed_portably(text).empty()) << text;
  }
}

TEST(PortableIndexTest, FindsWhatTheOtherFinds) {
  const bench::PodCorpus corpus;
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(indexed_portably(corpus.pod(i)), indexed(corpus.pod(i)));
  for (const std::string text :
       {"1\"a\"", "\"a\"b", "tru e", "[1 2]", "{]:,", "\"\u00e4\xc3\xa4\"", "\"\"\"\"", "[\"\\\\\\\"\"]"}) {
    EXPECT_EQ(indexed_portably(text), indexed(text)) << text;
  }
  EXPECT_TRUE(rc::check([] {
    const Object object = random_document();
    for (const std::string& text : {to_json(object), to_json_pretty(object)}) {
      RC_ASSERT(indexed_portably(text) == indexed(text));
    }
  }));
}

TEST(PortableIndexTest, FindsWhatTheOtherFindsInTextsThatAreNoJson) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('{', '}', '[', ']', ':', ',', '"', ' ', '\n', '1', 'a', '\xc3', '\xa4'));
    RC_ASSERT(indexed_portably(text) == indexed(text));
  }));
}

}  // namespace
}  // namespace kubexx::meta::detail
