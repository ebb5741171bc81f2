#include "kubexx/meta/key.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::meta {
namespace {

/// None, one that fits, the longest that fits, the shortest that does not, and a very long one.
std::vector<std::string> texts() {
  std::vector<std::string> all;
  for (const std::size_t size : {0U, 1U, 7U, 8U, 47U, 48U, 49U, 253U, 4096U}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
    all.push_back(std::move(text));
  }
  return all;
}

TEST(KeyTest, HasItsTextWhateverItsLength) {
  for (const std::string& text : texts()) {
    const Key key(text);
    EXPECT_EQ(key.text(), text);
    EXPECT_EQ(key.text(), text);
    EXPECT_EQ(key.empty(), text.empty());
  }
}

TEST(KeyTest, CopiesAndMovesHaveTheSameTextAndHash) {
  for (const std::string& text : texts()) {
    Key key(text);
    const std::uint32_t hash = key.hash();
    const Key copy = key;
    EXPECT_EQ(copy.text(), text);
    EXPECT_EQ(copy.hash(), hash);
    EXPECT_EQ(key.text(), text);
    const Key moved = std::move(key);
    EXPECT_EQ(moved.text(), text);
    EXPECT_EQ(moved.hash(), hash);
    EXPECT_EQ(key, Key());  // NOLINT(bugprone-use-after-move): what was moved from is empty
  }
}

TEST(KeyTest, IsTheSameTextWhereverItIsCut) {
  const auto object = [](const std::string& space, const std::string& name) {
    return object_from_json(R"({"metadata":{"namespace":")" + space + R"(","name":")" + name + R"("}})");
  };
  // No API server gives names with a slash; a stranger's may.
  const std::vector<Key> same = {Key("a/b/c"), Key::of(object("a", "b/c")), Key::of(object("a/b", "c")),
                                 Key::of(object("", "a/b/c"))};
  for (const Key& one : same) {
    for (const Key& other : same) EXPECT_EQ(one, other);
    EXPECT_EQ(one.text(), "a/b/c");
    EXPECT_EQ(one.hash(), same.front().hash());
    for (const auto& [space, name] : {std::pair("a", "b/d"), {"a/b", "d"}, {"", "a/b/d"}, {"a", "b"}, {"a/b", "c/"}}) {
      EXPECT_FALSE(one == Key::of(object(space, name)));
    }
  }
}

TEST(KeyTest, KnowsWhoseDefaultKeyItIs) {
  const Object object = object_from_json(R"({"metadata":{"namespace":"n","name":"a"}})");
  const Object twin = object_from_json(R"({"metadata":{"name":"a","namespace":"n"}})");
  const Object other = object_from_json(R"({"metadata":{"namespace":"n","name":"b"}})");
  for (const Key& key : {Key::of(object), Key("n/a"), Key::of(object, "n/a"), Key::of(other, "n/a")}) {
    EXPECT_TRUE(key.is_default_of(object));
    EXPECT_TRUE(key.is_default_of(twin));
    EXPECT_FALSE(key.is_default_of(other));
    EXPECT_FALSE(key.is_default_of(Object()));
    EXPECT_EQ(key.text(), "n/a");
  }
  EXPECT_FALSE(Key::of(object, "by-uid").is_default_of(object));
  EXPECT_FALSE(Key("n/").is_default_of(object_from_json(R"({"metadata":{"namespace":"n"}})")));
}

TEST(KeyTest, LivesOnWithoutItsObject) {
  Object object = object_from_json(R"({"metadata":{"namespace":"n","name":"a"}})");
  const Key key = Key::of(object);
  object = {};
  EXPECT_EQ(key.text(), "n/a");
}

TEST(KeyTest, ATextThatNoObjectCanHoldIsMisuse) {
  EXPECT_THROW(Key(std::string(std::size_t{1} << 28, 'k')), std::length_error);
  EXPECT_EQ(Key("after").text(), "after");
}

TEST(KeyTest, IsEqualExactlyWhenTheTextIsAndThenTheHashIsToo) {
  const auto all = texts();
  for (const std::string& a : all) {
    for (const std::string& b : all) {
      EXPECT_EQ(Key(a) == Key(b), a == b);
      if (a == b) {
        EXPECT_EQ(Key(a).hash(), Key(b).hash());
        EXPECT_EQ(std::hash<Key>()(Key(a)), std::hash<Key>()(Key(b)));
      }
    }
  }
  std::string changed(4096, 'x');
  const Key before(changed);
  changed.back() = 'y';
  EXPECT_FALSE(before == Key(changed));
  EXPECT_EQ(Key(""), Key());
  EXPECT_FALSE(Key("a/b") == Key("a/c"));
}

TEST(KeyTest, HashesOfManyKeysDiffer) {
  std::unordered_set<std::uint32_t> hashes;
  for (int i = 0; i < 10'000; ++i) hashes.insert(Key("namespace/pod-" + std::to_string(i)).hash());
  EXPECT_GT(hashes.size(), 9'990U);  // of 32 bits
}

TEST(KeyTest, OfAnObjectIsItsDefaultKey) {
  for (const char* text :
       {R"({"metadata":{"name":"a","namespace":"n"}})", R"({"metadata":{"name":"cluster-wide"}})",
        R"({"metadata":{"namespace":"namespace-of-twenty-", "name":"a-name-of-exactly-27-chars."}})"}) {
    const Object object = object_from_json(text);
    EXPECT_EQ(Key::of(object).text(), meta_namespace_key(object).value());
    EXPECT_EQ(Key::of(object), Key(meta_namespace_key(object).value()));
  }
  const std::string name(253, 'n');
  const Object longer = object_from_json(R"({"metadata":{"namespace":"space","name":")" + name + R"("}})");
  EXPECT_EQ(Key::of(longer), Key("space/" + name));
}

TEST(KeyTest, OfAnObjectWithoutANameIsEmpty) {
  EXPECT_EQ(Key::of(Object()), Key());
  EXPECT_EQ(Key::of(object_from_json("{}")), Key());
  EXPECT_EQ(Key::of(object_from_json(R"({"metadata":{"namespace":"n"}})")), Key());
  EXPECT_EQ(Key::of(object_from_json(R"({"metadata":{"namespace":"n","name":""}})")), Key());
}

}  // namespace
}  // namespace kubexx::meta
