#include "kubexx/meta/field_selector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

namespace kubexx::meta {
namespace {

bool selects(const std::string& text, const std::map<std::string, std::string>& fields) {
  return FieldSelector::parse(text).value().matches([&](const std::string& field) -> std::string_view {
    const auto found = fields.find(field);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
  });
}

TEST(FieldSelectorTest, ComparesFieldsForEquality) {
  EXPECT_TRUE(selects("metadata.name=a", {{"metadata.name", "a"}}));
  EXPECT_TRUE(selects("metadata.name==a", {{"metadata.name", "a"}}));
  EXPECT_FALSE(selects("metadata.name=a", {{"metadata.name", "b"}}));
  EXPECT_FALSE(selects("metadata.name!=a", {{"metadata.name", "a"}}));
  EXPECT_TRUE(selects("a=1,b!=2", {{"a", "1"}, {"b", "3"}}));
  EXPECT_FALSE(selects("a=1,b!=2", {{"a", "1"}, {"b", "2"}}));
}

TEST(FieldSelectorTest, AMissingFieldIsEmpty) {
  EXPECT_TRUE(selects("spec.nodeName=", {}));
  EXPECT_FALSE(selects("spec.nodeName!=", {}));
  EXPECT_TRUE(selects("spec.nodeName!=x", {}));
}

TEST(FieldSelectorTest, EmptyTextAndEmptyTermsSelectEverything) {
  EXPECT_TRUE(FieldSelector::parse("").value().empty());
  EXPECT_TRUE(FieldSelector::parse(",,").value().empty());
  EXPECT_TRUE(selects("", {}));
  EXPECT_FALSE(FieldSelector::nothing().matches([](const std::string&) { return std::string_view(); }));
}

TEST(FieldSelectorTest, EscapesStandForTheirCharacters) {
  EXPECT_TRUE(selects(R"(a=x\,y\=z\\)", {{"a", R"(x,y=z\)"}}));
  EXPECT_EQ(FieldSelector::equals("a", R"(x,y=z\)").to_string(), R"(a=x\,y\=z\\)");
}

TEST(FieldSelectorTest, RefusesBadTermsAndEscapes) {
  for (const std::string text : {"a", "a!", "=b", "!=b", "a=b=c", R"(a=\)", R"(a=\x)", "a=b,c", "a===b"}) {
    EXPECT_FALSE(FieldSelector::parse(text)) << text;
  }
}

TEST(FieldSelectorTest, CanonicalTextIsSortedWithSingleEqualsSigns) {
  EXPECT_EQ(FieldSelector::parse("z==1,,a!=2,b=").value().to_string(), "a!=2,b=,z=1");
  EXPECT_EQ(FieldSelector::everything().with({"a", "1", true}).to_string(), "a!=1");
}

TEST(FieldSelectorTest, CanonicalTextParsesToAnEqualSelector) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::string, bool>>& terms) {
    FieldSelector selector;
    for (const auto& [value, negated] : terms) {
      const auto field = *rc::gen::element<std::string>("metadata.name", "spec.nodeName", "a");
      selector = selector.with({field, value, negated});
    }
    const auto parsed = FieldSelector::parse(selector.to_string()).value();
    RC_ASSERT(parsed == selector);
    RC_ASSERT(parsed.to_string() == selector.to_string());
  }));
}

}  // namespace
}  // namespace kubexx::meta
