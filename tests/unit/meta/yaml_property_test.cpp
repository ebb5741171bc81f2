#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/yaml.hpp"

namespace kubexx::meta {
namespace {

/// Texts that are hard for YAML: indicators, spaces, breaks, other scripts, and long lines of words.
rc::Gen<std::string> gen_text() {
  const auto piece = rc::gen::element<std::string>(
      "a", "b c", " ", "  ", "\n", "\n\n", "\t", ":", ": ", " #", "#", "-", "- ", "?", "? ", "'", "\"", "\\", "{", "}",
      "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "---", "...", "<<", "=", "yes", "null", "~", "0", "1",
      "1e3", "0x1f", ".5", "2024-01-01", "12:30", "\r", "\x7f", "\x01", "\xc2\x85", "\xc2\xa0", "\xe2\x80\xa8",
      "\xef\xbb\xbf", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80",
      "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string text;
    for (const auto& part : pieces) text += part;
    return text;
  });
}

void write_value(ObjectBuilder& builder, int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return builder.null();
    case 1:
      return builder.boolean(*rc::gen::arbitrary<bool>());
    case 2:
      return builder.integer(*rc::gen::arbitrary<std::int64_t>());
    case 3: {
      const double number = *rc::gen::arbitrary<double>();
      // A whole double is an integer in Kubernetes' YAML, so it does not come back as it went.
      return builder.real(std::trunc(number) == number ? 0.1 : number);
    }
    case 4:
    case 5:
      return builder.string(*gen_text());
    case 6: {
      builder.begin_list();
      const int count = *rc::gen::inRange(0, 4);
      for (int i = 0; i < count; ++i) write_value(builder, depth - 1);
      return builder.end_list();
    }
    default: {
      builder.begin_map();
      const auto keys =
          *rc::gen::unique<std::vector<std::string>>(static_cast<std::size_t>(*rc::gen::inRange(0, 4)), gen_text());
      for (const auto& key : keys) {
        builder.key(std::string_view(key));
        write_value(builder, depth - 1);
      }
      return builder.end_map();
    }
  }
}

TEST(YamlPropertyTest, WhatIsPrintedReadsBackEqual) {
  EXPECT_TRUE(rc::check([] {
    ObjectBuilder builder;
    builder.begin_map();
    builder.key("root");
    write_value(builder, 4);
    builder.end_map();
    const auto object = builder.finish().value();
    const auto keys = *rc::gen::element(YamlKeys::AsWritten, YamlKeys::Sorted);
    const auto text = to_yaml(object, keys);
    const auto parsed = parse_yaml_document(text);
    if (!parsed) RC_FAIL(text + "\n" + parsed.error().message());
    if (!(*parsed == object)) RC_FAIL(text + "\n" + to_json(object) + "\n" + to_json(*parsed));
  }));
}

TEST(YamlPropertyTest, PrintedTextIsAFixedPoint) {
  EXPECT_TRUE(rc::check([] {
    ObjectBuilder builder;
    builder.begin_list();
    write_value(builder, 3);
    builder.end_list();
    const auto text = to_yaml(builder.finish().value());
    RC_ASSERT(to_yaml(parse_yaml_document(text).value()) == text);
  }));
}

TEST(YamlPropertyTest, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *gen_text();
    const auto documents = parse_yaml(text);
    if (!documents) return;
    for (const auto& document : *documents) RC_ASSERT(parse_yaml_document(to_yaml(document)).value() == document);
  }));
}

}  // namespace
}  // namespace kubexx::meta
