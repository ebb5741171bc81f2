#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal/base64.hpp"
#include "codec/messages.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::codec::test {

/// Objects of any type of the schema with every field set to a random value that is not zero; a field
/// whose type holds itself is left out.
class RandomObjects {
 public:
  explicit RandomObjects(unsigned seed) : random_(seed) {}

  Result<meta::Object> make(std::string_view type) {
    builder_.clear();
    builder_.begin_map();
    if (const auto kind = kinds_by_type().find(type); kind != kinds_by_type().end()) {
      builder_.key("apiVersion");
      builder_.string(kind->second.api_version());
      builder_.key("kind");
      builder_.string(kind->second.kind);
    }
    fields(*find_message(type), 0);
    builder_.end_map();
    return builder_.finish();
  }

 private:
  void fields(const Message& message, int depth) {
    open_.push_back(&message);
    for (const Field& field : message.fields) {
      if (field.inlined) {
        fields(*field.message, depth);
        continue;
      }
      const bool nests = field.message != nullptr;
      if (nests && std::find(open_.begin(), open_.end(), field.message) != open_.end()) continue;
      builder_.key(field.name);
      switch (field.shape) {
        case Shape::One:
          value(field, depth);
          break;
        case Shape::List:
          builder_.begin_list();
          for (unsigned i = 0, count = nests && depth > 3 ? 1 : 1 + random_() % 2; i < count; ++i) value(field, depth);
          builder_.end_list();
          break;
        case Shape::Map:
          builder_.begin_map();
          for (unsigned i = 0, count = nests && depth > 3 ? 1 : 1 + random_() % 3; i < count; ++i) {
            builder_.key("key/" + std::to_string(i) + text());
            value(field, depth);
          }
          builder_.end_map();
          break;
      }
    }
    open_.pop_back();
  }

  void value(const Field& field, int depth) {
    switch (field.wire) {
      case Wire::String:
        return builder_.string(text());
      case Wire::Int32:
        return builder_.integer(static_cast<std::int32_t>(random_() | 1U));
      case Wire::Int64:
        return builder_.integer(
            static_cast<std::int64_t>((static_cast<std::uint64_t>(random_()) << 32 | random_()) | 1U));
      case Wire::Bool:
        return builder_.boolean(true);
      case Wire::Double:
        return builder_.real(0.5 + static_cast<double>(random_() % 1000));
      case Wire::Bytes:
        return builder_.string(base64_encode(text()));
      case Wire::Time:
        return builder_.string("20" + two(99) + "-0" + std::to_string(1 + random_() % 9) + "-1" +
                               std::to_string(random_() % 10) + "T1" + std::to_string(random_() % 10) + ":" + two(60) +
                               ":" + two(60) + "Z");
      case Wire::MicroTime:
        return builder_.string("2026-01-31T08:00:" + two(60) + "." + std::to_string(100000 + random_() % 900000) + "Z");
      case Wire::Quantity:
        return builder_.string(std::to_string(1 + random_() % 999) + "Mi");
      case Wire::IntOrString:
        if (random_() % 2 == 0) return builder_.string(text());
        return builder_.integer(static_cast<std::int32_t>(random_()));
      case Wire::Json:
        builder_.begin_map();
        builder_.key("raw " + text());
        builder_.begin_list();
        builder_.integer(1);
        builder_.null();
        builder_.end_list();
        builder_.end_map();
        return;
      case Wire::Items:
      case Wire::OrStringArray:
        builder_.begin_list();
        builder_.string(text());
        builder_.end_list();
        return;
      case Wire::OrBool:
        if (random_() % 2 == 0) return builder_.boolean(random_() % 2 == 0);
        [[fallthrough]];
      case Wire::OrArray:
      case Wire::Message:
        builder_.begin_map();
        fields(*field.message, depth + 1);
        builder_.end_map();
        return;
    }
  }

  std::string two(unsigned below) {
    const auto value = std::to_string(random_() % below);
    return value.size() == 1 ? "0" + value : value;
  }

  std::string text() {
    static constexpr std::string_view kParts[] = {"a", "Z",  "-",  "9", "\xC3\xA9", "\xE2\x82\xAC",
                                                  " ", "\"", "\\", "\n"};
    std::string out = "t";
    for (unsigned i = random_() % 12; i > 0; --i) out += kParts[random_() % std::size(kParts)];
    return out;
  }

  std::mt19937 random_;
  std::vector<const Message*> open_;
  meta::ObjectBuilder builder_;
};

}  // namespace kubexx::codec::test
