/// What several objects have stands once; nobody who reads them can tell.
#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/base/random.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/fragment_memory.hpp"
#include "kubexx/meta/json.hpp"
#include "meta/internal/packed_copy.hpp"

namespace kubexx::meta {
namespace {

/// An object of a kind of its own for each test, because what is worth sharing is learned by kind. All of one `set`
/// have the same containers; `version` changes what is the object's own.
std::string text_of(const std::string& kind, int number, int set, int version = 1) {
  const std::string id = std::to_string(number);
  const std::string app = "app-" + std::to_string(set);
  return R"({"apiVersion":"example.com/v1","kind":")" + kind + R"(","metadata":{"name":"object-with-a-long-name-)" +
         id + R"(","namespace":"default","uid":"00000000-0000-4000-a000-)" + std::to_string(100'000'000'000 + number) +
         R"(","resourceVersion":")" + std::to_string(1000 * version + number) + R"(","labels":{"app":")" + app +
         R"(","example.com/a-label-of-some-length":")" + app + R"("}},"spec":{"containers":[{"name":")" + app +
         R"(","image":"registry.example.com/)" + kind + "/" + app + R"(:1.0","args":["--config=/etc/)" + kind +
         R"(.yaml","--listen=:8080"],"resources":{"limits":{"cpu":"1","of":")" + kind +
         R"("},)"
         R"("requests":{"cpu":0.5,"memory":"256Mi"}}}],"nodeName":"node-)" +
         std::to_string(number % 7) + R"("},"status":{"podIP":"10.0.)" + std::to_string(number / 200) + "." +
         std::to_string(number % 200) + R"(","message":"object )" + id + " of version " + std::to_string(version) +
         R"( says what no other says"}})";
}

/// The same size, with nothing in it that another has.
std::string unique_text(const std::string& kind, int number) {
  const std::string id = std::to_string(1'000'000 + number);
  std::string data;
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    data += std::string(data.empty() ? "" : ",") + '"' + key + R"(":"a value of its own, )" + id + key + '"';
  }
  return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":"object-)" + id +
         R"(","namespace":"default","uid":"00000000-0000-4000-a000-)" + id + R"("},"data":{)" + data + "}}";
}

Object decode(const std::string& text) {
  return JsonDecoder(DecodeOptions{}).decode(text).value();
}

std::size_t own(const std::vector<Object>& objects) {
  std::size_t sum = 0;
  for (const Object& object : objects) sum += object.byte_size();
  return sum;
}

std::vector<Object> load(const std::string& kind, int count, int per_set, int version = 1) {
  JsonDecoder decoder{DecodeOptions{}};
  std::vector<Object> objects;
  for (int i = 0; i < count; ++i) objects.push_back(decoder.decode(text_of(kind, i, i / per_set, version)).value());
  return objects;
}

class SharingTest : public testing::Test {
 protected:
  const FragmentMemory before = fragment_memory();
};

TEST_F(SharingTest, ObjectsReadAsTheyWereWritten) {
  const auto objects = load("AsWritten", 2000, 50);
  ASSERT_GT(fragment_memory().fragments, before.fragments);
  EXPECT_GT(objects.back().shared_bytes(), 0U);
  for (int i = 0; i < 2000; ++i) {
    const Object& object = objects[static_cast<std::size_t>(i)];
    const std::string text = text_of("AsWritten", i, i / 50);
    ASSERT_EQ(to_json(object), text);
    ASSERT_TRUE(object == decode(text));
    ASSERT_EQ(object.name(), "object-with-a-long-name-" + std::to_string(i));
    ASSERT_EQ(object.labels()["app"].string(), "app-" + std::to_string(i / 50));
    ASSERT_EQ(object.at("/spec/containers/0/args/1").string(), "--listen=:8080");
    ASSERT_EQ(object.at("/spec/containers/0/resources/requests/cpu").double_or(0), 0.5);
    ASSERT_EQ(object["spec"]["containers"].size(), 1U);
  }
}

TEST_F(SharingTest, WhatRepeatsStandsOnce) {
  const auto objects = load("Repeats", 5000, 50);
  std::size_t texts = 0;
  for (int i = 0; i < 5000; ++i) texts += text_of("Repeats", i, i / 50).size();
  EXPECT_LT(own(objects) + fragment_memory().bytes - before.bytes, texts / 2);
  EXPECT_LT(objects.back().byte_size(), 450U);
}

TEST_F(SharingTest, ItGoesWithTheObjectsThatHaveIt) {
  {
    const auto objects = load("Goes", 3000, 10);
    EXPECT_GT(fragment_memory().bytes, before.bytes);
  }
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
  EXPECT_EQ(fragment_memory().bytes, before.bytes);
}

TEST_F(SharingTest, ObjectsThatShareNothingCostNothingMore) {
  std::vector<Object> objects;
  JsonDecoder decoder{DecodeOptions{}};
  for (int i = 0; i < 3000; ++i) objects.push_back(decoder.decode(unique_text("Unique", i)).value());
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
  for (const Object& object : objects) ASSERT_EQ(object.byte_size(), objects.front().byte_size());
}

TEST_F(SharingTest, AnObjectsOwnVersionsAreNoReasonToShare) {
  JsonDecoder decoder{DecodeOptions{}};
  Object object;
  for (int version = 0; version < 5000; ++version) object = decoder.decode(text_of("Alone", 1, 1, version)).value();
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

TEST_F(SharingTest, AfterManyReplacementsACacheIsAsLargeAsAfterItsFirstList) {
  auto objects = load("Replaced", 2000, 10);
  const std::size_t all = own(objects) + fragment_memory().bytes;
  JsonDecoder decoder{DecodeOptions{}};
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const int number = static_cast<int>(random.below(2000));
    objects[static_cast<std::size_t>(number)] = decoder.decode(text_of("Replaced", number, number / 10, 2 + i)).value();
  }
  EXPECT_LT(own(objects) + fragment_memory().bytes, all + all / 10);
}

TEST_F(SharingTest, DraftsAndComparisonsSeeThroughIt) {
  const auto objects = load("Drafts", 1000, 50);
  const Object& object = objects.back();
  ASSERT_GT(object.shared_bytes(), 0U);
  auto draft = object.edit();
  draft["spec"]["containers"][0]["image"].set("another");
  const Object edited = draft.to_object();
  EXPECT_EQ(edited.at("/spec/containers/0/image").string(), "another");
  EXPECT_EQ(diff_paths(object.root(), edited.root()), std::vector<std::string>{"/spec/containers/0/image"});
  EXPECT_FALSE(edited == object);
  EXPECT_NE(object.at("/spec/containers/0/image").string(), "another");
}

TEST_F(SharingTest, WritingIntoASharedPartIsSeen) {
  const auto objects = load("Written", 1000, 50);
  const Object& object = objects.back();
  const std::string copy = detail::packed_copy(object);
  ASSERT_TRUE(detail::equals_packed_copy(object, copy));
  const std::string_view image = object.at("/spec/containers/0/image").string();
  const std::string_view own = object.raw_bytes();
  ASSERT_TRUE(image.data() < own.data() || image.data() > own.data() + own.size()) << "the image is not shared";
  const_cast<char&>(image.front()) = 'R';
  EXPECT_FALSE(detail::equals_packed_copy(object, copy));
  const_cast<char&>(image.front()) = 'r';
  EXPECT_TRUE(detail::equals_packed_copy(object, copy));
}

/// Processor time for so many decodings.
std::chrono::nanoseconds time_of(const std::string& text, int times) {
  JsonDecoder decoder({.max_depth = 1000});
  const auto now = [] {
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec);
  };
  const auto begin = now();
  for (int i = 0; i < times; ++i) decoder.decode(text).value();
  return now() - begin;
}

TEST_F(SharingTest, NestingDoesNotMultiplyTheWork) {
  const std::string head = R"({"apiVersion":"v1","kind":"Nested","metadata":{"name":"a"},"spec":)";
  const std::string values = R"("a value that is long enough to be looked at",)";
  std::string flat = "[";
  std::string nested;
  for (int i = 0; i < 900; ++i) {
    flat += values + values;
    nested += "[" + values + values;
  }
  flat += "0]";
  nested += "0" + std::string(900, ']');
  EXPECT_LT(time_of(head + nested + "}", 20), 20 * time_of(head + flat + "}", 20));
}

TEST_F(SharingTest, ADocumentDoesNotGrowByBeingCopied) {
  // A long text that a document has once and names often, and others between that make the copy forget it. No other
  // object has them, but one short text they all have.
  const auto text = [](int number) {
    const std::string own = std::to_string(number);
    std::string values;
    for (int turn = 0; turn < 100; ++turn) {
      values += (turn == 0 ? "\"" : ",\"") + own + std::string(2000, 't') + '"';
      for (int i = 0; i < 256; ++i) values += ",\"" + own + std::to_string(1000 + i) + std::string(250, 'u') + '"';
    }
    return R"({"kind":"Grows","metadata":{"name":")" + own +
           R"(","annotations":{"a":"a text that every one of them has"}},"spec":[)" + values + "]}";
  };
  std::optional<JsonDecoder> decoder(DecodeOptions{});
  const std::size_t alone = decoder->decode(text(0)).value().byte_size();
  for (int i = 1; i < 5; ++i) {
    const Object object = decoder->decode(text(i)).value();
    ASSERT_LE(object.byte_size(), alone + 8);
    ASSERT_EQ(to_json(object), text(i));
  }
  decoder.reset();  // it keeps what it used last
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

TEST_F(SharingTest, APartThatIsNamedTwiceCountsOnce) {
  std::string text = R"({"kind":"Twice","metadata":{"name":"a","uid":"NUMBER"},"spec":["VALUE","VALUE","VALUE"]})";
  const std::string value(1000, 'v');
  while (text.find("VALUE") != std::string::npos) text.replace(text.find("VALUE"), 5, value);
  Object object;
  for (int i = 0; i < 3; ++i) {
    std::string each = text;
    object = decode(each.replace(each.find("NUMBER"), 6, std::to_string(i)));
  }
  EXPECT_GT(object.shared_bytes(), 1000U);
  EXPECT_LT(object.shared_bytes(), 1100U);
}

TEST_F(SharingTest, ThreadsDecodeAndDropAtOnce) {
  {
    std::mutex mutex;
    std::map<int, Object> cache;  // objects go on other threads than they came on
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        JsonDecoder decoder{DecodeOptions{}};
        Random random(static_cast<std::uint64_t>(thread + 1));
        for (int i = 0; i < 1500; ++i) {
          const int number = static_cast<int>(random.below(400));
          const std::string text = text_of("Threads", number, number / 8, i);
          Object object = decoder.decode(text).value();
          EXPECT_EQ(to_json(object), text);
          const std::lock_guard lock(mutex);
          cache[number] = std::move(object);
        }
      });
    }
  }
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

}  // namespace
}  // namespace kubexx::meta
