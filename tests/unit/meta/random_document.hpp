#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "kubexx/meta/object_builder.hpp"

namespace kubexx::meta {

/// Texts with quotes, escapes, control characters, other scripts, and lengths around the edges of the layout.
inline std::string random_text() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "name", "\"", "\\", "/", "\n", "\t", std::string(1, '\0'), "\x1f", "\x7f", "{", "}", "[", "]", ",", ":", " ",
      "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xe2\x80\xa8", "0123456789abcdef", std::string(130, 'x')));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

inline std::string random_key() {
  const auto known = *rc::gen::inRange(0, 3);
  if (known == 0) return std::string(name_text(static_cast<NameId>(*rc::gen::inRange<int>(0, 40))));
  if (known == 1) return "k" + std::to_string(*rc::gen::inRange(0, 40));
  return random_text();
}

/// `nulls`: whether null may stand in maps, which no merge patch can express.
inline void write_random(ObjectBuilder& builder, int depth, bool nulls) {
  switch (*rc::gen::inRange(0, depth > 0 ? 9 : 6)) {
    case 0:
      return nulls ? builder.null() : builder.boolean(false);
    case 1:
      return builder.boolean(*rc::gen::arbitrary<bool>());
    case 2:
      return builder.integer(*rc::gen::arbitrary<std::int64_t>());
    case 3:
      return builder.integer(*rc::gen::inRange<std::int64_t>(-(1LL << 28), 1LL << 28));
    case 4:
      return builder.real(*rc::gen::arbitrary<double>());
    case 5:
      return builder.string(random_text());
    case 6: {
      builder.begin_list();
      const int count = *rc::gen::inRange(0, 5);
      for (int i = 0; i < count; ++i) write_random(builder, depth - 1, nulls);
      return builder.end_list();
    }
    default: {
      builder.begin_map();
      const int count = *rc::gen::inRange(0, *rc::gen::inRange(0, 8) == 0 ? 40 : 6);
      for (int i = 0; i < count; ++i) {
        builder.key(random_key());
        write_random(builder, count > 6 ? 0 : depth - 1, nulls);
      }
      return builder.end_map();
    }
  }
}

inline Object random_document(bool nulls = true) {
  ObjectBuilder builder;
  write_random(builder, 4, nulls);
  return builder.finish().value();
}

/// A document whose root is a map.
inline Object random_map(bool nulls = true) {
  ObjectBuilder builder;
  builder.begin_map();
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    builder.key(random_key());
    write_random(builder, 3, nulls);
  }
  builder.end_map();
  return builder.finish().value();
}

}  // namespace kubexx::meta
