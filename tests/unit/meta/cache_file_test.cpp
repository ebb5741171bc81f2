/// Objects go into a cache file and come back; a file that is not what it was is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "corpus/pod_corpus.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/fragment_memory.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/meta/cache_file_bytes.hpp"
#include "unit/meta/random_document.hpp"

namespace kubexx::meta::detail {
namespace {

using ::testing::HasSubstr;

Object small(int number) {
  return JsonDecoder(DecodeOptions{})
      .decode(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a-)" + std::to_string(number) +
              R"(","resourceVersion":"7"},"data":{"key":"value","big":12345678901,"half":0.5,"yes":true,"none":null}})")
      .value();
}

/// Objects of which most share something.
std::vector<Object> pods(std::size_t count, const Projection& projection = Projection::full()) {
  JsonDecoder decoder({.projection = projection, .default_api_version = "v1", .default_kind = "Pod"});
  const bench::PodCorpus corpus{.pods = count};
  std::vector<Object> objects;
  for (std::size_t i = 0; i < count; ++i) objects.push_back(decoder.decode(corpus.pod(i)).value());
  return objects;
}

bool any_shares(const std::vector<Object>& objects) {
  return std::any_of(objects.begin(), objects.end(), [](const Object& each) { return each.shared_bytes() > 0; });
}

void expect_same(const std::vector<Object>& read, const std::vector<Object>& before) {
  ASSERT_EQ(read.size(), before.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_TRUE(read[i] == before[i]);
    ASSERT_EQ(to_json(read[i]), to_json(before[i]));
    ASSERT_EQ(read[i].key(), before[i].key());
    ASSERT_EQ(read[i].completeness(), before[i].completeness());
    ASSERT_EQ(read[i].projection_name(), before[i].projection_name());
    ASSERT_EQ(read[i].byte_size(), before[i].byte_size());
    ASSERT_EQ(read[i].shared_bytes(), before[i].shared_bytes());
  }
}

TEST(CacheFileTest, ObjectsAreReadAsTheyWereWritten) {
  for (const auto& projection :
       {Projection::full(), Projection::without_managed_fields(), Projection::metadata_only()}) {
    const auto before = pods(1000, projection);
    const auto contents = read(written(before));
    ASSERT_TRUE(contents) << contents.error();
    EXPECT_EQ(contents->state, "version 7\n");
    expect_same(contents->objects, before);
  }
}

TEST(CacheFileTest, WhatObjectsShareTheyShareAgain) {
  const auto none = fragment_memory();
  std::string bytes;
  FragmentMemory then;
  {
    const auto before = pods(2000);
    ASSERT_TRUE(any_shares(before));
    then = fragment_memory();
    bytes = written(before);
  }
  ASSERT_EQ(fragment_memory().fragments, none.fragments);
  {
    const auto contents = read(bytes);
    ASSERT_TRUE(contents) << contents.error();
    EXPECT_EQ(fragment_memory().fragments, then.fragments);
    EXPECT_EQ(fragment_memory().bytes, then.bytes);
    EXPECT_EQ(written(contents->objects), bytes);
  }
  EXPECT_EQ(fragment_memory().fragments, none.fragments);
  EXPECT_EQ(fragment_memory().bytes, none.bytes);
}

TEST(CacheFileTest, ReadObjectsShareWithThoseThatAreThere) {
  const auto before = pods(2000);
  const auto there = fragment_memory();
  const auto contents = read(written(before));
  ASSERT_TRUE(contents) << contents.error();
  EXPECT_EQ(fragment_memory().fragments, there.fragments);
}

TEST(CacheFileTest, AnEmptyCacheIsAFileToo) {
  const auto contents = read(written({}));
  ASSERT_TRUE(contents) << contents.error();
  EXPECT_TRUE(contents->objects.empty());
}

TEST(CacheFileTest, AnyDocumentComesBack) {
  EXPECT_TRUE(rc::check([] {
    ObjectBuilder builder;
    builder.begin_map();
    builder.key("metadata");
    builder.begin_map();
    builder.key("name");
    builder.string(random_text());
    builder.end_map();
    const int count = *rc::gen::inRange(0, 30);
    for (int i = 0; i < count; ++i) {
      builder.key(random_key());
      write_random(builder, 3, true);
    }
    builder.end_map();
    const std::vector<Object> before{builder.finish().value(), random_map()};
    const auto contents = read(written(before));
    RC_ASSERT(contents);
    RC_ASSERT(to_json(contents->objects[0]) == to_json(before[0]));
    RC_ASSERT(to_json(contents->objects[1]) == to_json(before[1]));
  }));
}

TEST(CacheFileTest, AFileOfAnotherIdentitySaysWhatDiffers) {
  const std::string bytes = written({});
  EXPECT_THAT(read(bytes, "cluster there\nresource pods\nscope everything\n").error().message(),
              HasSubstr("another cluster"));
  EXPECT_THAT(read(bytes, "cluster here\nresource pods\nscope default\n").error().message(),
              HasSubstr("another scope"));
  EXPECT_THAT(read(bytes, std::string(kIdentity) + "tag 2\n").error().message(), HasSubstr("another tag"));
  EXPECT_FALSE(read(bytes, "cluster here\n"));
  EXPECT_FALSE(read(bytes, ""));
}

TEST(CacheFileTest, AFileThatWasCutIsAnErrorAtEveryLength) {
  const std::vector<Object> objects{small(1), small(2)};
  const std::string bytes = written(objects);
  ASSERT_TRUE(read(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_FALSE(read(std::string_view(bytes).substr(0, length))) << length;
    std::string ended = bytes.substr(0, length);
    sign(ended);
    ASSERT_FALSE(read(ended)) << length;
  }
  ASSERT_FALSE(read(bytes + '\0'));
}

TEST(CacheFileTest, EveryByteThatIsAnotherIsNoticed) {
  const std::vector<Object> objects{small(1), small(2)};
  const std::string bytes = written(objects);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      ASSERT_FALSE(read(flipped)) << at << " " << bit;
    }
  }
}

TEST(CacheFileTest, ASourceThatFailsOrEndsIsAnError) {
  const std::string bytes = written(std::vector<Object>{small(1)});
  const auto fails = [](std::span<char>) -> Result<std::size_t> { return Error::config("a disk that is gone"); };
  EXPECT_THAT(read_cache_file(kIdentity, bytes.size(), fails).error().message(), HasSubstr("a disk that is gone"));
  const auto ends = [](std::span<char>) -> Result<std::size_t> { return 0; };
  EXPECT_THAT(read_cache_file(kIdentity, bytes.size(), ends).error().message(), HasSubstr("ends too early"));
  EXPECT_FALSE(read_cache_file(kIdentity, std::uint64_t{1} << 60, ends));
}

TEST(CacheFileTest, ASinkThatFailsEndsTheWriting) {
  const auto objects = pods(500);
  int calls = 0;
  const auto full = [&](std::string_view) -> Result<void> {
    if (++calls == 2) return Error::config("no space left");
    return {};
  };
  const auto done = write_cache_file({}, objects, full);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("no space left"));
  EXPECT_EQ(calls, 2);
}

/// Whoever changes bytes and the checksum too gets objects that can be read, or an Error.
TEST(CacheFileTest, BytesThatAreMadeOnPurposeAreRefusedOrCanBeRead) {
  const auto objects = pods(300);
  std::string bytes = written(std::vector<Object>(objects.end() - 6, objects.end()));
  ASSERT_TRUE(any_shares({objects.end() - 6, objects.end()}));
  const auto none = fragment_memory();
  Random random(20261117);
  std::size_t refused = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string changed = bytes;
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random.next() % limit); };
    const std::size_t from = round % 4 == 0 ? 0 : sizeof(CacheFileHeader) + kIdentity.size();
    for (std::size_t flips = 1 + below(3); flips > 0; --flips) {
      const std::size_t at = from + below(changed.size() - from);
      changed[at] = static_cast<char>(round % 2 == 0 ? changed[at] ^ (1 << below(8)) : static_cast<int>(below(256)));
    }
    sign(changed);
    const auto contents = read(changed);
    if (!contents) {
      ++refused;
      continue;
    }
    for (const Object& each : contents->objects) {
      ASSERT_FALSE(to_json(each).empty());
      ASSERT_TRUE(each == each.edit().to_object());
      static_cast<void>(each.key());
      static_cast<void>(each.shared_bytes());
    }
  }
  EXPECT_GT(refused, 5'000U);
  EXPECT_EQ(fragment_memory().fragments, none.fragments);
}

}  // namespace
}  // namespace kubexx::meta::detail
