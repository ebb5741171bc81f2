/// Parts of a list that came before with the same bytes are not read again; nobody who reads the objects can tell.
#include "meta/document/repeats.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "kubexx/base/random.hpp"
#include "kubexx/meta/fragment_memory.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "meta/json/json_splitter.hpp"
#include "support/function_sink.hpp"

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kBulk = 64 << 10;
constexpr std::size_t kTrickle = 4 << 10;

/// A part as objects of set `set` have it; what stands in `inside` is the object's own.
std::string containers(const std::string& kind, int set, const std::string& inside = "") {
  const std::string app = "app-" + std::to_string(set);
  return R"([{"name":")" + app + R"(","image":"registry.example.com/)" + kind + "/" + app +
         R"(:1.0","args":["--config=/etc/a \"quoted\" path.yaml","--listen=[::]:8080","{"],"resources":{"limits":{"cpu":"1"},)" +
         R"("requests":{"cpu":0.5,"memory":"256Mi"}})" + inside + "}]";
}

std::string object(const std::string& kind, int number, const std::string& spec) {
  return R"({"apiVersion":"example.com/v1","kind":")" + kind + R"(","metadata":{"name":"object-)" +
         std::to_string(number) + R"(","namespace":"default","uid":"00000000-0000-4000-a000-)" +
         std::to_string(100'000'000'000 + number) + R"(","resourceVersion":")" + std::to_string(number) +
         R"("},"spec":)" + spec + "}";
}

std::vector<Object> read_list(const std::vector<std::string>& texts, std::size_t piece, DecodeOptions options = {}) {
  std::string body = R"({"apiVersion":"example.com/v1","kind":"AnyList","metadata":{"resourceVersion":"1"},"items":[)";
  for (const std::string& text : texts) body += (&text == &texts.front() ? "" : ",") + text;
  body += "]}";
  std::vector<Object> objects;
  FunctionSink sink({.on_item = [&](Object each) { objects.push_back(std::move(each)); }});
  JsonListReader reader(options, sink);
  for (std::size_t at = 0; at < body.size(); at += piece) {
    reader.feed(std::string_view(body).substr(at, piece)).value();
  }
  reader.finish().value();
  return objects;
}

class RepeatsTest : public testing::Test {
 protected:
  const FragmentMemory before = fragment_memory();
};

TEST_F(RepeatsTest, WhatCameAgainIsFoundByItsBytesAndPlace) {
  Fragments& fragments = Fragments::process();
  const std::string nodes = "the nodes of a fragment";
  const auto made = fragments.take(nodes, 5, fragments.hash(nodes, 5)).value();
  {
    Repeats repeats;
    Habit habit;
    const PartPlace place{.path = 77, .depth = 3};
    const std::string source = R"({"a part":"of some object, which is long enough"})";
    for (int i = 0; i < 4; ++i) {
      EXPECT_FALSE(repeats.expects(77)) << "it came again only " << i << " times";
      repeats.note(place, source, word_of(Tag::FieldMap, 40));
      repeats.shared(word_of(Tag::FieldMap, 40), made.number, true, habit, nodes.size());
      repeats.end_document();
    }
    EXPECT_TRUE(repeats.expects(77));
    const auto found = repeats.find(place, source);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, made.number);
    EXPECT_EQ(found->habit, &habit);
    fragments.release(found->number);
    EXPECT_FALSE(repeats.find({.path = 77, .depth = 4}, source)) << "it may be nested too deeply there";
    EXPECT_FALSE(repeats.find({.path = 77, .depth = 3, .form = &habit}, source)) << "other bytes of another message";
    EXPECT_FALSE(repeats.find(place, source + " "));
    for (int i = 0; i < 16; ++i) EXPECT_FALSE(repeats.find(place, "something else of a length to be noted"));
    EXPECT_FALSE(repeats.expects(77)) << "nothing came again for long";
  }
  fragments.release(made.number);
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

TEST_F(RepeatsTest, ObjectsOfAListInBulkReadAsTheyWereWritten) {
  std::vector<std::string> texts;
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    const int set = i / 40;
    const std::string own = random.next() % 3 == 0 ? R"(,"own":[)" + std::to_string(i) + "]" : "";
    texts.push_back(object("InBulk", i,
                           R"({"containers":)" + containers("InBulk", set, own) + R"(,"nodeName":"node-)" +
                               std::to_string(i % 7) + R"(","tolerations":[{"key":"not-ready","effect":"NoExecute"},)" +
                               R"({"key":"unreachable","effect":"NoExecute"}]})"));
  }
  const auto objects = read_list(texts, kBulk);
  ASSERT_EQ(objects.size(), texts.size());
  EXPECT_GT(objects.back().shared_bytes(), 0U);
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(to_json(objects[i]), texts[i]);
}

TEST_F(RepeatsTest, WhatIsRecognisedGoesWithTheObjects) {
  {
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
      texts.push_back(object("Goes", i, R"({"containers":)" + containers("Goes", i / 50) + "}"));
    }
    const auto objects = read_list(texts, kBulk);
    EXPECT_GT(fragment_memory().fragments, before.fragments);
  }
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
  EXPECT_EQ(fragment_memory().bytes, before.bytes);
}

TEST_F(RepeatsTest, AKeyThatStandsTwiceLosesNoReference) {
  {
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
      const std::string part = containers("Twice", i / 50);
      const std::string twice = i % 5 == 0 ? R"("containers":)" + part + "," : "";
      texts.push_back(object("Twice", i, "{" + twice + R"("containers":)" + part + R"(,"containers":[]})"));
      if (i % 5 != 0) texts.back() = object("Twice", i, R"({"containers":)" + part + "}");
    }
    const auto objects = read_list(texts, kBulk);
    EXPECT_EQ(objects[5]["spec"]["containers"].size(), 0U);
    EXPECT_EQ(objects[6]["spec"]["containers"].size(), 1U);
  }
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

TEST_F(RepeatsTest, AValueThatADefaultReplacesLosesNoReference) {
  {
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
      texts.push_back(R"({"kind":"PartialObjectMetadata","apiVersion":)" + containers("Replaced", i / 50) +
                      R"(,"metadata":{"name":"object-)" + std::to_string(i) + R"("}})");
    }
    DecodeOptions options;
    options.default_api_version = "example.com/v1";
    options.default_kind = "Replaced";
    const auto objects = read_list(texts, kBulk, options);
    EXPECT_EQ(objects.back()["apiVersion"].string(), "example.com/v1");
  }
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

/// The processor's time for one object among others that made its parts known.
double time_of_spec(const std::string& spec) {
  std::vector<std::string> texts;
  for (int i = 0; i < 400; ++i) {
    texts.push_back(object("Order", i, R"({"a":[)" + containers("A", 1) + R"(],"b":[)" + containers("B", 2) + "]}"));
  }
  texts.push_back(object("Order", 400, spec));
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  EXPECT_EQ(read_list(texts, kBulk).size(), texts.size());
  return now() - begin;
}

TEST_F(RepeatsTest, TheOrderOfKeysThatStandTwiceDoesNotMultiplyTheWork) {
  const auto many = [](const std::string& part) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += (i == 0 ? "[" : ",") + part;
    return text + "]";
  };
  const std::string a = many(containers("A", 1));
  const std::string b = many(containers("B", 2));
  const double once = time_of_spec(R"({"a":)" + a + R"(,"b":)" + b + "}");
  const double twice = time_of_spec(R"({"a":1,"b":)" + b + R"(,"a":)" + a + "}");
  EXPECT_LT(twice, 5 * once);
}

TEST_F(RepeatsTest, AReaderWhoseSinkThrewReadsNoMore) {
  const std::string body = R"({"kind":"AnyList","apiVersion":"v1","items":[)" + object("Throws", 1, "{}") + "]}";
  FunctionSink sink({.on_item = [](const Object&) { throw std::bad_alloc(); }});
  JsonListReader reader({}, sink);
  EXPECT_THROW(static_cast<void>(reader.feed(body)), std::bad_alloc);
  EXPECT_FALSE(reader.feed(" "));
  EXPECT_FALSE(reader.finish());
}

TEST_F(RepeatsTest, WhatIsCutByAProjectionIsNotRecognisedAsTheWhole) {
  std::vector<std::string> texts;
  for (int i = 0; i < 2000; ++i) {
    texts.push_back(
        object("Cut", i,
               R"({"containers":)" + containers("Cut", i / 50) + R"(,"dropped":)" + containers("Cut", i / 50) + "}"));
  }
  DecodeOptions options;
  options.projection = Projection::paths({"spec.containers.name"}).value();
  const auto bulk = read_list(texts, kBulk, options);
  const auto trickle = read_list(texts, kTrickle, options);
  ASSERT_EQ(bulk.size(), trickle.size());
  for (std::size_t i = 0; i < bulk.size(); ++i) ASSERT_EQ(to_json(bulk[i]), to_json(trickle[i]));
  EXPECT_FALSE(bulk.back().at("/spec/containers/0/image").exists());
}

TEST_F(RepeatsTest, AListThatIsBrokenInAPartSaysWhere) {
  std::string body = R"({"kind":"AnyList","apiVersion":"v1","items":[)";
  for (int i = 0; i < 2000; ++i) {
    std::string part = containers("Broken", 1);
    if (i == 1999) part.replace(part.find(R"("args":[)"), 8, R"("args":!)");
    body += (i == 0 ? "" : ",") + object("Broken", i, R"({"containers":)" + part + "}");
  }
  FunctionSink sink({});
  JsonListReader reader({}, sink);
  Result<void> read = {};
  for (std::size_t at = 0; read && at < body.size(); at += kBulk)
    read = reader.feed(std::string_view(body).substr(at, kBulk));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("item 1999"), std::string::npos) << read.error();
}

/// Where brackets and strings say that the first value ends, byte by byte.
std::size_t end_of_value(std::string_view text, bool all_brackets) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || (all_brackets && c == '[')) {
      ++depth;
    } else if ((c == '}' || (all_brackets && c == ']')) && depth-- == 1) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

TEST(JsonSplitterTest, FindsTheEndThatBracketsAndStringsSayInPiecesOfAnySize) {
  Random random(11);
  const std::string_view pieces[] = {"{", "}", "[", "]",           "\"",           "\\\"", "\\\\",
                                     "a", ",", ":", "\"text {[\"", "            ", "\\"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "{";
    bool in_string = false;
    for (std::uint64_t left = random.next() % 120; left > 0; --left) {
      const auto piece = pieces[random.next() % std::size(pieces)];
      if (piece.front() == '\\' && !in_string) continue;  // none stands outside of strings
      if (piece == "\"") in_string = !in_string;
      if (piece.size() > 6 && piece.front() == '"' && in_string) continue;
      text += piece;
      if (piece == "\\") text += 'n';
    }
    for (const bool all : {false, true}) {
      const std::size_t expected = end_of_value(text, all);
      JsonSplitter splitter(all ? JsonSplitter::Counts::AllBrackets : JsonSplitter::Counts::Braces);
      splitter.start();
      const std::size_t size = 1 + random.next() % 200;
      std::size_t found = std::string_view::npos;
      for (std::size_t at = 0; at < text.size() && found == std::string_view::npos; at += size) {
        const std::size_t end = splitter.scan(std::string_view(text).substr(at, size));
        if (end != std::string_view::npos) found = at + end;
      }
      ASSERT_EQ(found, expected) << text << " in pieces of " << size;
    }
  }
}

}  // namespace
}  // namespace kubexx::meta::detail
