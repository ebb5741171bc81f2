#include "kubexx/meta/label_selector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

namespace kubexx::meta {
namespace {

using Labels = std::map<std::string, std::string>;
using testing::HasSubstr;

bool selects(const LabelSelector& selector, const Labels& labels) {
  return selector.matches_with([&](const std::string& key) -> std::optional<std::string_view> {
    const auto found = labels.find(key);
    return found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  });
}

bool selects(const std::string& text, const Labels& labels) {
  return selects(LabelSelector::parse(text).value(), labels);
}

TEST(LabelSelectorTest, EqualityNeedsTheLabelWithThatValue) {
  for (const std::string text : {"a=1", "a==1", " a = 1 ", "a in (1)", "a in (2,1)"}) {
    EXPECT_TRUE(selects(text, {{"a", "1"}})) << text;
    EXPECT_FALSE(selects(text, {{"a", "3"}})) << text;
    EXPECT_FALSE(selects(text, {})) << text;
  }
}

TEST(LabelSelectorTest, InequalityHoldsForAMissingLabel) {
  for (const std::string text : {"a!=1", "a notin (1)", "a notin (1,2)"}) {
    EXPECT_FALSE(selects(text, {{"a", "1"}})) << text;
    EXPECT_TRUE(selects(text, {{"a", "3"}})) << text;
    EXPECT_TRUE(selects(text, {})) << text;
  }
}

TEST(LabelSelectorTest, ExistenceIgnoresTheValue) {
  EXPECT_TRUE(selects("a", {{"a", ""}}));
  EXPECT_FALSE(selects("a", {{"b", ""}}));
  EXPECT_FALSE(selects("!a", {{"a", ""}}));
  EXPECT_TRUE(selects("! a", {}));
}

TEST(LabelSelectorTest, OrderComparesIntegersOnly) {
  EXPECT_TRUE(selects("a>5", {{"a", "6"}}));
  EXPECT_FALSE(selects("a>5", {{"a", "5"}}));
  EXPECT_TRUE(selects("a<5", {{"a", "4"}}));
  EXPECT_FALSE(selects("a<5", {{"a", "x"}}));
  EXPECT_FALSE(selects("a<5", {}));
  EXPECT_FALSE(selects("a>5", {{"a", "99999999999999999999"}}));
}

TEST(LabelSelectorTest, AllRequirementsMustHold) {
  EXPECT_TRUE(selects("a=1,b!=2,!c", {{"a", "1"}}));
  EXPECT_FALSE(selects("a=1,b!=2,!c", {{"a", "1"}, {"c", ""}}));
}

TEST(LabelSelectorTest, EmptyTextSelectsEverything) {
  for (const std::string text : {"", "  "}) {
    const auto selector = LabelSelector::parse(text).value();
    EXPECT_TRUE(selector.empty());
    EXPECT_EQ(selector, LabelSelector::everything());
    EXPECT_TRUE(selects(selector, {}));
  }
}

TEST(LabelSelectorTest, NothingSelectsNothingAndStaysNothing) {
  const auto nothing = LabelSelector::nothing();
  const auto more = nothing.with(LabelRequirement::make("a", SelectorOperator::Exists).value());

  EXPECT_FALSE(nothing.empty());
  EXPECT_TRUE(more.is_nothing());
  EXPECT_FALSE(selects(nothing, {}));
  EXPECT_NE(nothing, LabelSelector::everything());
}

TEST(LabelSelectorTest, EmptyValuesAreValues) {
  EXPECT_TRUE(selects("a=", {{"a", ""}}));
  EXPECT_TRUE(selects("a=,b", {{"a", ""}, {"b", "x"}}));
  for (const std::string text : {"a in ()", "a in (,)", "a in (x,)", "a in (,x)", "a in (x,,y)"}) {
    EXPECT_TRUE(selects(text, {{"a", ""}})) << text;
  }
  EXPECT_TRUE(selects("a in (x,,y)", {{"a", "y"}}));
}

TEST(LabelSelectorTest, KeywordsAreOrdinaryNamesWhereNoOperatorStands) {
  EXPECT_TRUE(selects("in in (in,notin)", {{"in", "notin"}}));
  EXPECT_TRUE(selects("notin=in", {{"notin", "in"}}));
  EXPECT_TRUE(selects("in", {{"in", ""}}));
}

TEST(LabelSelectorTest, CanonicalTextIsSortedByKeyAndValue) {
  EXPECT_EQ(LabelSelector::parse("z , b notin (y,x,x),a== 1,!c,d>3,e<4,f!=,g").value().to_string(),
            "a==1,b notin (x,y),!c,d>3,e<4,f!=,g,z");
}

TEST(LabelSelectorTest, RefusesWhatTheServerRefuses) {
  for (const std::string text :
       {",",       "a,",         ",a",         "a,,b",    "a b",   "a in",       "a in b",    "a in (",
        "a in (b", "a in (b c)", "a in (b=c)", "a=b=c",   "a=(b)", "=",          "=a",        "!",
        "!!a",     "!a=b",       "!a in (b)",  "a>",      "a>x",   "a<1.5",      "a in (b))", "(a)",
        "a>=5",    "-a=b",       "a=-b",       "a/b/c=d", "/a",    "a=\xc3\xa4", "\xff",      "a>99999999999999999999",
        "a ! b"}) {
    EXPECT_FALSE(LabelSelector::parse(text)) << text;
  }
  EXPECT_FALSE(LabelSelector::parse(std::string("a\0b", 3)));
}

TEST(LabelSelectorTest, ErrorsSayWhatWasFoundAndWhatWasExpected) {
  EXPECT_EQ(LabelSelector::parse("a in b").error().message(), "unable to parse requirement: found 'b' expected: '('");
  EXPECT_EQ(LabelSelector::parse("a,").error().message(), "found '', expected: identifier after ','");
  EXPECT_EQ(LabelSelector::parse("a b").error().message(),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_THAT(LabelSelector::parse("a=x%").error().message(), HasSubstr("\"x%\": a valid label must be"));
  EXPECT_THAT(LabelSelector::parse("-k").error().message(), HasSubstr("\"-k\": name part must consist"));
}

TEST(LabelSelectorTest, EqualsThrowsOnAnInvalidLiteral) {
  EXPECT_EQ(LabelSelector::equals("k8s-app", "kube-dns").to_string(), "k8s-app=kube-dns");
  EXPECT_THROW(LabelSelector::equals("k", "a b"), std::invalid_argument);
  EXPECT_THROW(LabelSelector::equals("", "a"), std::invalid_argument);
}

TEST(LabelSelectorTest, TellsTheOnlyValueALabelMayHave) {
  const auto selector = LabelSelector::parse("a=1,b in (2),c in (3,4),d!=5,e==6").value();

  EXPECT_EQ(selector.required_value("a"), "1");
  EXPECT_EQ(selector.required_value("b"), "2");
  EXPECT_EQ(selector.required_value("c"), std::nullopt);
  EXPECT_EQ(selector.required_value("d"), std::nullopt);
  EXPECT_EQ(selector.required_value("e"), "6");
  EXPECT_EQ(selector.required_value("f"), std::nullopt);
}

TEST(LabelRequirementTest, ChecksTheNumberOfValues) {
  using Op = SelectorOperator;
  EXPECT_FALSE(LabelRequirement::make("a", Op::In, {}));
  EXPECT_FALSE(LabelRequirement::make("a", Op::NotIn, {}));
  EXPECT_FALSE(LabelRequirement::make("a", Op::Equals, {}));
  EXPECT_FALSE(LabelRequirement::make("a", Op::NotEquals, {"1", "2"}));
  EXPECT_FALSE(LabelRequirement::make("a", Op::Exists, {"1"}));
  EXPECT_FALSE(LabelRequirement::make("a", Op::DoesNotExist, {""}));
  EXPECT_FALSE(LabelRequirement::make("a", Op::GreaterThan, {}));
  EXPECT_TRUE(LabelRequirement::make("a", Op::In, {""}));
}

rc::Gen<std::string> gen_word() {
  return rc::gen::element<std::string>("a", "b", "in", "notin", "x.y/z", "A_1", "7", "42", "100");
}

rc::Gen<LabelSelector> gen_selector() {
  return rc::gen::exec([] {
    LabelSelector selector;
    const int count = *rc::gen::inRange(0, 5);
    for (int i = 0; i < count; ++i) {
      const auto op = static_cast<SelectorOperator>(*rc::gen::inRange(0, 9));
      std::vector<std::string> values;
      if (op == SelectorOperator::GreaterThan || op == SelectorOperator::LessThan) {
        values = {std::to_string(*rc::gen::inRange(0, 120))};
      } else if (op == SelectorOperator::In || op == SelectorOperator::NotIn) {
        values = *rc::gen::nonEmpty(
            rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("", "a", "b", "in", "7", "42")));
      } else if (op != SelectorOperator::Exists && op != SelectorOperator::DoesNotExist) {
        values = {*rc::gen::element<std::string>("", "a", "b", "notin", "7")};
      }
      selector = selector.with(LabelRequirement::make(*gen_word(), op, values).value());
    }
    return selector;
  });
}

/// The meaning of a requirement, written the long way.
bool naive_match(const LabelRequirement& r, const Labels& labels) {
  const bool has = labels.count(r.key()) > 0;
  const std::string value = has ? labels.at(r.key()) : "";
  bool in_set = false;
  for (const auto& v : r.values()) in_set = in_set || v == value;
  const bool numeric = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  switch (r.op()) {
    case SelectorOperator::Equals:
    case SelectorOperator::DoubleEquals:
    case SelectorOperator::In:
      return has && in_set;
    case SelectorOperator::NotEquals:
    case SelectorOperator::NotIn:
      return !(has && in_set);
    case SelectorOperator::Exists:
      return has;
    case SelectorOperator::DoesNotExist:
      return !has;
    case SelectorOperator::GreaterThan:
      return has && numeric && std::stol(value) > std::stol(r.values().front());
    case SelectorOperator::LessThan:
      return has && numeric && std::stol(value) < std::stol(r.values().front());
  }
  return false;
}

TEST(LabelSelectorTest, CanonicalTextParsesToAnEqualSelector) {
  EXPECT_TRUE(rc::check([] {
    const auto selector = *gen_selector();
    const auto text = selector.to_string();
    const auto parsed = LabelSelector::parse(text).value();
    RC_ASSERT(parsed == selector);
    RC_ASSERT(parsed.to_string() == text);
  }));
}

TEST(LabelSelectorTest, MatchingAgreesWithANaiveModel) {
  EXPECT_TRUE(rc::check([] {
    const auto selector = *gen_selector();
    const auto labels = *rc::gen::container<Labels>(
        gen_word(), rc::gen::element<std::string>("", "a", "b", "in", "notin", "7", "42", "100"));
    bool expected = true;
    for (const auto& requirement : selector.requirements()) expected = expected && naive_match(requirement, labels);
    RC_ASSERT(selects(selector, labels) == expected);
  }));
}

TEST(LabelSelectorTest, AnyTextIsParsedOrRefusedAndWhatIsParsedHasACanonicalForm) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', '1', '=', '!', '(', ')', ',', ' ', '<', '>', 'i', 'n', '/', '-'));
    const auto selector = LabelSelector::parse(text);
    if (selector) RC_ASSERT(LabelSelector::parse(selector->to_string()).value() == *selector);
  }));
}

}  // namespace
}  // namespace kubexx::meta
