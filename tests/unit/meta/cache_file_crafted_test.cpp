/// Cache files that somebody made on purpose, with a good checksum: each breaks one rule that readers rely on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kubexx/meta/fragment_memory.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/meta/cache_file_bytes.hpp"

namespace kubexx::meta::detail {
namespace {

using ::testing::HasSubstr;

/// A file of one document {"metadata": {"name": "a"}, "spec": ...}, and of two fragments: a text and a map.
class Crafted {
 public:
  Nodes nodes;

  std::string with_spec(Word spec) {
    const Word metadata = nodes.fields({{id_of("name"), nodes.string("a")}});
    const Word root = nodes.fields({{id_of("metadata"), metadata}, {id_of("spec"), spec}});
    return file(root, metadata);
  }
  std::string file(Word root, Word metadata) const {
    Nodes text(sizeof(Fragment));
    const Word text_root = text.string("a text that several have");
    Nodes map(sizeof(Fragment));
    const Word map_root = map.fields({{id_of("kind"), map.string("Pod")}});
    return file_of({fragment_record(text_root, text.bytes), fragment_record(map_root, map.bytes)},
                   {document_record(root, metadata, cut, nodes.bytes)});
  }
  Word cut = 0;
};

void expect_refused(const std::string& bytes, const std::string& why) {
  const auto before = fragment_memory().fragments;
  const auto contents = read(bytes);
  ASSERT_FALSE(contents) << to_json(contents->objects.front());
  EXPECT_THAT(contents.error().message(), HasSubstr(why));
  EXPECT_EQ(fragment_memory().fragments, before);
}

TEST(CraftedCacheFileTest, TheOneThatBreaksNoRuleIsRead) {
  Crafted crafted;
  crafted.cut = kHasFragments;
  const auto contents = read(crafted.with_spec(
      crafted.nodes.list({word_of(Tag::Shared, 0), word_of(Tag::Shared, 1), word_of(Tag::Shared, 0)})));
  ASSERT_TRUE(contents) << contents.error();
  EXPECT_EQ(
      to_json(contents->objects.front()),
      R"({"metadata":{"name":"a"},"spec":["a text that several have",{"kind":"Pod"},"a text that several have"]})");
}

struct Broken {
  std::string name;
  std::string why;
  std::function<Word(Nodes&)> spec;
};

class BrokenSpecTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenSpecTest, IsRefused) {
  Crafted crafted;
  expect_refused(crafted.with_spec(GetParam().spec(crafted.nodes)), GetParam().why);
}

Word entry_map(Nodes& nodes, Tag tag, int count, const std::function<std::string(int)>& key,
               const std::vector<std::uint32_t>& positions = {}) {
  std::vector<std::pair<Key, Word>> entries;
  for (int i = 0; i < count; ++i) entries.emplace_back(stranger_key(nodes.text(key(i))), word_of(Tag::Null));
  return nodes.names(tag, entries, positions);
}
std::string letter(int number) {
  return std::string(1, static_cast<char>('a' + number)) + "-key";
}
std::vector<std::uint32_t> first_positions(int count) {
  std::vector<std::uint32_t> positions;
  for (int i = 0; i < count; ++i) positions.push_back(static_cast<std::uint32_t>(i));
  return positions;
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenSpecTest,
    ::testing::Values(
        Broken{"UnknownTag", "unknown kind", [](Nodes&) { return Word{11}; }},
        Broken{"AbsentWord", "unknown kind", [](Nodes&) { return kAbsent; }},
        Broken{"NullWithPayload", "a null", [](Nodes&) { return word_of(Tag::Null, 3); }},
        Broken{"BoolOfTwo", "a bool", [](Nodes&) { return word_of(Tag::Bool, 2); }},
        Broken{"TextInTheHeader", "a text outside", [](Nodes&) { return word_of(Tag::String, 4); }},
        Broken{"TextBehindTheEnd", "a text outside", [](Nodes&) { return word_of(Tag::String, (1U << 28) - 1); }},
        Broken{"TextThatDoesNotEnd", "a text outside",
               [](Nodes& nodes) { return word_of(Tag::String, nodes.put("\x7f too short")); }},
        Broken{"SizeThatDoesNotEnd", "a text outside",
               [](Nodes& nodes) { return word_of(Tag::String, nodes.put(std::string(8, '\xff'))); }},
        Broken{"TextNotUtf8", "not UTF-8", [](Nodes& nodes) { return nodes.string("a\xc3("); }},
        Broken{"LongTextNotUtf8", "not UTF-8",
               [](Nodes& nodes) { return nodes.string("twelve bytes, and then \xed\xa0\x80 a surrogate"); }},
        Broken{"NumberOutside", "a number outside", [](Nodes&) { return word_of(Tag::Int64, 1U << 20); }},
        Broken{"NumberInTheHeader", "a number outside", [](Nodes&) { return word_of(Tag::Double, 8); }},
        Broken{"NotANumber", "a number that is none",
               [](Nodes& nodes) {
                 return word_of(Tag::Double, nodes.put(raw(std::numeric_limits<double>::quiet_NaN())));
               }},
        Broken{"ListOutside", "outside", [](Nodes&) { return word_of(Tag::List, 1U << 20); }},
        Broken{"ListThatDoesNotEnd", "does not end",
               [](Nodes& nodes) { return word_of(Tag::List, nodes.put("\xff\xff\xff\xff\x0f")); }},
        Broken{"ListInItself", "on the same bytes",
               [](Nodes& nodes) {
                 const auto at = nodes.here();
                 return nodes.list({word_of(Tag::List, at)});
               }},
        Broken{"ListNamedTwice", "on the same bytes",
               [](Nodes& nodes) {
                 const Word inner = nodes.list({word_of(Tag::Null)});
                 return nodes.list({inner, inner});
               }},
        Broken{"ListsThatOverlap", "on the same bytes",
               [](Nodes& nodes) {
                 const Word inner = nodes.list({word_of(Tag::List, 0), word_of(Tag::List, 0)});
                 return nodes.list({inner, word_of(Tag::List, payload_of(inner) + 1)});
               }},
        Broken{"TextOnAList", "a text on the bytes",
               [](Nodes& nodes) {
                 const Word inner = nodes.list({word_of(Tag::Int, 0)});
                 return nodes.list({inner, word_of(Tag::String, payload_of(inner))});
               }},
        Broken{"NestedTooDeep", "nested too deep",
               [](Nodes& nodes) {
                 Word word = nodes.list({word_of(Tag::Null)});
                 for (int i = 0; i < kMaxNesting; ++i) word = nodes.list({word});
                 return word;
               }},
        Broken{"UnknownField", "field name that there is not",
               [](Nodes& nodes) { return nodes.fields({{std::uint16_t{60000}, word_of(Tag::Null)}}); }},
        Broken{"UnknownName", "field name that there is not",
               [](Nodes& nodes) { return nodes.names(Tag::NameMap, {{known_key(1U << 30), word_of(Tag::Null)}}); }},
        Broken{"FieldTwice", "there twice",
               [](Nodes& nodes) {
                 return nodes.fields({{id_of("kind"), word_of(Tag::Null)}, {id_of("kind"), word_of(Tag::Null)}});
               }},
        Broken{"KeyTwice", "there twice",
               [](Nodes& nodes) { return entry_map(nodes, Tag::NameMap, 3, [](int i) { return letter(i % 2); }); }},
        Broken{"KnownNameAsText", "a known field name",
               [](Nodes& nodes) { return entry_map(nodes, Tag::NameMap, 1, [](int) { return "kind"; }); }},
        Broken{"KeyOutside", "a text outside",
               [](Nodes& nodes) { return nodes.names(Tag::NameMap, {{stranger_key(1U << 20), word_of(Tag::Null)}}); }},
        Broken{"ManyKeysUnsorted", "there twice",
               [](Nodes& nodes) { return entry_map(nodes, Tag::NameMap, 20, [](int i) { return letter(i); }); }},
        Broken{"SortedMapUnsorted", "do not ascend",
               [](Nodes& nodes) { return entry_map(nodes, Tag::SortedMap, 20, [](int i) { return letter(19 - i); }); }},
        Broken{"IndexedMapUnsorted", "do not ascend",
               [](Nodes& nodes) {
                 return entry_map(
                     nodes, Tag::IndexedMap, 20, [](int i) { return letter(19 - i); }, first_positions(20));
               }},
        Broken{"PositionTwice", "do not ascend",
               [](Nodes& nodes) {
                 auto positions = first_positions(20);
                 positions[7] = 6;
                 return entry_map(nodes, Tag::IndexedMap, 20, letter, positions);
               }},
        Broken{"PositionOutside", "a position outside",
               [](Nodes& nodes) {
                 auto positions = first_positions(20);
                 positions[19] = 20;
                 return entry_map(nodes, Tag::IndexedMap, 20, letter, positions);
               }},
        Broken{"PositionsMissing", "does not end",
               [](Nodes& nodes) {
                 std::string node(1, '\x7f');
                 return word_of(Tag::IndexedMap, nodes.put(node + std::string(40, '\0')));
               }},
        Broken{"FragmentThatIsNot", "a fragment that there is not", [](Nodes&) { return word_of(Tag::Shared, 2); }},
        Broken{"FragmentUndeclared", "says otherwise", [](Nodes&) { return word_of(Tag::Shared, 1); }}),
    [](const auto& each) { return each.param.name; });

TEST(CraftedCacheFileTest, AFragmentAtTheBottomOfADeepDocumentCountsWithItsOwnLevels) {
  for (const bool too_deep : {false, true}) {
    Crafted crafted;
    crafted.cut = kHasFragments;
    Word word = crafted.nodes.list({word_of(Tag::Shared, 1)});
    for (int i = 0; i < kMaxNesting - 3 + (too_deep ? 1 : 0); ++i) word = crafted.nodes.list({word});
    const std::string bytes = crafted.with_spec(word);
    if (too_deep) {
      expect_refused(bytes, "nested too deep");
    } else {
      EXPECT_TRUE(read(bytes)) << read(bytes).error();
    }
  }
}

TEST(CraftedCacheFileTest, AFragmentNamesNoFragment) {
  Nodes nodes(sizeof(Fragment));
  const Word list = nodes.list({word_of(Tag::Shared, 0)});
  expect_refused(file_of({fragment_record(list, nodes.bytes)}, {}), "a fragment that there is not");
  expect_refused(file_of({fragment_record(word_of(Tag::Shared, 0), "")}, {}), "a root that is a fragment");
}

TEST(CraftedCacheFileTest, TheHeaderOfADocumentIsVerified) {
  const auto refused = [](const std::function<std::string(Crafted&, Word root, Word metadata)>& make,
                          const std::string& why) {
    Crafted crafted;
    const Word metadata = crafted.nodes.fields({{id_of("name"), crafted.nodes.string("a")}});
    const Word root = crafted.nodes.fields({{id_of("metadata"), metadata}});
    expect_refused(make(crafted, root, metadata), why);
  };
  refused([](Crafted& c, Word, Word metadata) { return c.file(word_of(Tag::List), metadata); }, "no map as its root");
  refused([](Crafted& c, Word, Word metadata) { return c.file(word_of(Tag::Shared, 1), metadata); }, "no map");
  refused([](Crafted& c, Word root, Word) { return c.file(root, kAbsent); }, "metadata elsewhere");
  refused([](Crafted& c, Word root, Word) { return c.file(root, root); }, "metadata elsewhere");
  refused(
      [](Crafted& c, Word root, Word metadata) {
        c.cut = 7;
        return c.file(root, metadata);
      },
      "completeness");
  refused(
      [](Crafted& c, Word root, Word metadata) {
        c.cut = kHasFragments;
        return c.file(root, metadata);
      },
      "says otherwise");
  refused(
      [](Crafted& c, Word root, Word metadata) {
        c.cut = word_of(Tag::Null, 1U << 20);
        return c.file(root, metadata);
      },
      "a text outside");
  refused(
      [](Crafted& c, Word root, Word metadata) {
        c.cut = word_of(Tag::Null, payload_of(root));
        return c.file(root, metadata);
      },
      "a text on the bytes");
}

/// One field of the file's header is another, and the checksum is right.
TEST(CraftedCacheFileTest, TheHeaderOfTheFileIsVerified) {
  Crafted crafted;
  const std::string good = crafted.with_spec(word_of(Tag::Null));
  ASSERT_TRUE(read(good));
  const auto refused = [&](const std::function<void(CacheFileHeader&)>& change, const std::string& why) {
    std::string bytes = good;
    CacheFileHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    sign(bytes);
    expect_refused(bytes, why);
  };
  refused([](auto& header) { header.magic ^= 1; }, "no cache file");
  refused([](auto& header) { header.magic = __builtin_bswap64(header.magic); }, "no cache file");
  refused([](auto& header) { ++header.format; }, "the format 2");
  refused([](auto& header) { --header.names; }, "other field names");
  refused([](auto& header) { header.names_hash ^= 1; }, "other field names");
  refused([](auto& header) { --header.identity_size; }, "smaller than it is");
  refused([](auto& header) { header.identity_size = ~0U; }, "larger than it is");
  refused([](auto& header) { --header.identity_size, ++header.state_size; }, "another");
  refused([](auto& header) { header.state_size = 1; }, "larger than it is");
  refused([](auto& header) { --header.fragments; }, "bytes that belong to nothing");
  refused([](auto& header) { ++header.fragments; }, "");
  refused([](auto& header) { header.fragments = ~0ULL; }, "more parts");
  refused([](auto& header) { --header.fragment_bytes, ++header.document_bytes; }, "cannot be");
  refused([](auto& header) { header.fragment_bytes = ~0ULL; }, "larger than it is");
  refused([](auto& header) { --header.documents; }, "bytes that belong to nothing");
  refused([](auto& header) { ++header.documents; }, "");
  refused([](auto& header) { header.documents = ~0ULL; }, "more parts");
  refused([](auto& header) { --header.document_bytes; }, "smaller than it is");
  refused([](auto& header) { header.document_bytes = ~0ULL; }, "larger than it is");
}

TEST(CraftedCacheFileTest, SizesOfRecordsAreVerified) {
  for (const std::uint32_t size : {0U, 7U, 19U, 1U << 28, ~0U}) {
    Nodes nodes;
    std::string record = document_record(nodes.fields({}), kAbsent, 0, nodes.bytes);
    record.replace(0, 4, raw(size));
    expect_refused(file_of({}, {record}), "");
    std::string fragment = fragment_record(word_of(Tag::Int, 1), "");
    fragment.replace(0, 4, raw(size));
    expect_refused(file_of({fragment}, {}), "");
  }
}

}  // namespace
}  // namespace kubexx::meta::detail
