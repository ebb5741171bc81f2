#include <gtest/gtest.h>

#include <map>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "support/function_sink.hpp"
#include "unit/meta/random_document.hpp"

namespace kubexx::meta {
namespace {

bool holds(const std::function<void()>& property) {
  return rc::check(property);
}

TEST(JsonPropertyTest, WrittenTextReadsAsAnEqualDocumentAndPrintsTheSameBytes) {
  EXPECT_TRUE(holds([] {
    const Object object = random_document();
    const std::string text = to_json(object);
    const Object again = parse_json(text).value();
    RC_ASSERT(again == object);
    RC_ASSERT(to_json(again) == text);
    RC_ASSERT(parse_json(to_json_pretty(object)).value() == object);
  }));
}

TEST(JsonPropertyTest, EqualTextsMakeEqualBytes) {
  EXPECT_TRUE(holds([] {
    const std::string text = to_json(random_document());
    JsonDecoder decoder;
    RC_ASSERT(decoder.decode(text).value().raw_bytes() == decoder.decode(text).value().raw_bytes());
  }));
}

TEST(JsonPropertyTest, MapsBehaveLikeAModelWhateverTheirKeys) {
  EXPECT_TRUE(holds([] {
    std::map<std::string, int> model;
    ObjectBuilder builder;
    builder.begin_map();
    const int count = *rc::gen::inRange(0, 60);
    for (int i = 0; i < count; ++i) {
      const std::string key = random_key();
      model[key] = i;
      builder.key(key);
      builder.integer(i);
    }
    builder.end_map();
    const Object object = builder.finish().value();
    RC_ASSERT(object.root().size() == model.size());
    for (const auto& [key, value] : model) RC_ASSERT(object[key].get_int() == value);
    const std::string other = random_key();
    RC_ASSERT(object[other].exists() == model.contains(other));
  }));
}

TEST(JsonPropertyTest, AListCutAtAnyBytesGivesItsItems) {
  EXPECT_TRUE(holds([] {
    std::string body = R"({"kind":"List","items":[)";
    std::vector<Object> items;
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      items.push_back(random_map());
      body +=
          (i != 0 ? "," : "") + (*rc::gen::arbitrary<bool>() ? to_json(items.back()) : to_json_pretty(items.back()));
    }
    body += "]}";
    std::vector<Object> read;
    FunctionSink sink({.on_item = [&](Object item) { read.push_back(std::move(item)); }});
    JsonListReader reader({}, sink);
    for (std::string_view left = body; !left.empty();) {
      const auto size = *rc::gen::inRange<std::size_t>(1, 200);
      RC_ASSERT(reader.feed(left.substr(0, size)).has_value());
      left.remove_prefix(std::min(size, left.size()));
    }
    RC_ASSERT(reader.finish().has_value());
    RC_ASSERT(read == items);
  }));
}

TEST(JsonPropertyTest, DroppingManagedFieldsWhileReadingEqualsErasingThemAfterwards) {
  EXPECT_TRUE(holds([] {
    const Draft draft(random_map());
    draft["metadata"]["managedFields"].set(random_document().root());
    draft["metadata"]["name"].set(random_text());
    draft["spec"].set(random_document().root());
    const std::string text = to_json(draft.to_object());
    const Object cut = parse_json(text, {.projection = Projection::without_managed_fields()}).value();
    draft["metadata"]["managedFields"].erase();
    RC_ASSERT(cut == draft.to_object());
  }));
}

TEST(JsonPropertyTest, RandomBytesNeverMakeAnUnreadableDocument) {
  EXPECT_TRUE(holds([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element(
        '{', '}', '[', ']', '"', ':', ',', '\\', 'u', '1', '-', '.', 'e', ' ', '\n', 't', 'n', '\x01', '\xff', '\xc3'));
    if (const auto object = parse_json(text)) RC_ASSERT(parse_json(to_json(*object)).value() == *object);
  }));
}

TEST(PatchPropertyTest, AMergePatchLeadsFromOneDocumentToTheOther) {
  EXPECT_TRUE(holds([] {
    const Object before = random_map(false);
    const Object after = random_map(false);
    const Object patch = parse_json(merge_patch(before.root(), after.root())).value();
    RC_ASSERT(apply_merge_patch(before.root(), patch.root()).value() == after);
    RC_ASSERT(merge_patch(before.root(), before.root()) == "{}");
  }));
}

TEST(PatchPropertyTest, AJsonPatchLeadsFromOneDocumentToTheOther) {
  EXPECT_TRUE(holds([] {
    const Object before = random_document();
    const Object after = random_document();
    const Object patch = parse_json(json_patch(before.root(), after.root())).value();
    RC_ASSERT(apply_json_patch(before.root(), patch.root()).value() == after);
    RC_ASSERT(json_patch(before.root(), before.root()) == "[]");
  }));
}

TEST(PatchPropertyTest, DocumentsDifferExactlyWhenSomePathDiffers) {
  EXPECT_TRUE(holds([] {
    const Object before = random_document();
    const Object after = *rc::gen::arbitrary<bool>() ? random_document() : parse_json(to_json(before)).value();
    const auto paths = diff_paths(before.root(), after.root());
    RC_ASSERT(paths.empty() == (before == after));
    for (const std::string& path : paths) RC_ASSERT(!(before.at(path) == after.at(path)));
  }));
}

TEST(DraftPropertyTest, ADraftAfterRandomEditsEqualsTheSameEditsAsAJsonPatch) {
  EXPECT_TRUE(holds([] {
    const Object before = random_map();
    const Draft draft = before.edit();
    const int edits = *rc::gen::inRange(0, 8);
    for (int i = 0; i < edits; ++i) {
      DraftRef place = draft[random_key()];
      if (*rc::gen::arbitrary<bool>()) place = place[random_key()];
      if (*rc::gen::arbitrary<bool>()) place = place[*rc::gen::inRange(0, 2) == 0 ? "name" : "k1"];
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          place.erase();
          break;
        case 1:
          place.set(random_document().root());
          break;
        case 2:
          place.append(std::string("x"));
          break;
        case 3:
          place.set(draft.root());
          break;
        default:
          place.set(i);
      }
      if (place.exists()) RC_ASSERT(place.type() != ValueType::Absent);
    }
    const Object after = draft.to_object();
    const Object patch = parse_json(draft.json_patch()).value();
    RC_ASSERT(apply_json_patch(before.root(), patch.root()).value() == after);
    RC_ASSERT(draft.changed() == !(before == after));
    RC_ASSERT(draft.clone().to_object() == after);
  }));
}

}  // namespace
}  // namespace kubexx::meta
