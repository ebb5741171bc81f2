#include "kubexx/meta/quantity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <utility>
#include <vector>

namespace kubexx::meta {
namespace {

using Format = Quantity::Format;

Quantity q(const std::string& text) {
  return Quantity::parse(text).value();
}
std::string canonical(const std::string& text) {
  return q(text).to_string();
}

TEST(QuantityTest, CanonicalFormHasNoFractionAndTheLargestSuffix) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},      {"-0", "0"},          {"0Mi", "0"},           {"1", "1"},       {"+1", "1"},
      {"-1", "-1"},    {"007", "7"},         {"1.5", "1500m"},       {"1.", "1"},      {".5", "500m"},
      {"0.1", "100m"}, {"1000", "1k"},       {"1000m", "1"},         {"1500", "1500"}, {"1000000k", "1G"},
      {"1k", "1k"},    {"10000000n", "10m"}, {"1.2345", "1234500u"}, {"100m", "100m"}, {"1000E", "1e21"},
      {"1M", "1M"},    {"1T", "1T"},         {"1P", "1P"},           {"1E", "1E"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(canonical(text), expected) << text;
}

TEST(QuantityTest, BinaryAmountsKeepBinarySuffixes) {
  const std::pair<const char*, const char*> cases[] = {
      {"1Ki", "1Ki"},   {"1024Ki", "1Mi"}, {"1.5Gi", "1536Mi"},   {"1Ei", "1Ei"},        {"1000Ki", "1000Ki"},
      {"0.5Ki", "512"}, {"1.5Ki", "1536"}, {"1.1Ki", "1126400m"}, {"-1.5Gi", "-1536Mi"}, {"0.0005Ki", "512m"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(canonical(text), expected) << text;
}

TEST(QuantityTest, ExponentAmountsKeepTheExponentForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"1e3", "1e3"},   {"1E3", "1e3"},      {"12e6", "12e6"}, {"1e0", "1"},     {"100e1", "1e3"},
      {"1e-3", "1e-3"}, {"12.34e2", "1234"}, {"1e+2", "100"},  {"1e30", "1e30"}, {"5e-4", "500e-6"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(canonical(text), expected) << text;
}

TEST(QuantityTest, RoundsWhatIsFinerThanNanoAwayFromZero) {
  EXPECT_EQ(canonical("0.9n"), "1n");
  EXPECT_EQ(canonical("0.1n"), "1n");
  EXPECT_EQ(canonical("-0.1n"), "-1n");
  EXPECT_EQ(canonical("1.0000000001"), "1000000001n");
  EXPECT_EQ(canonical("1e-1000"), "1e-9");
  EXPECT_EQ(canonical("1e-999999999999"), "1e-9");
  EXPECT_EQ(canonical("0.00000000000"), "0");
  EXPECT_EQ(canonical("0.00000000100000"), "1n");
}

TEST(QuantityTest, KeepsDecimalAmountsBeyond64BitsAndCapsBinaryOnes) {
  EXPECT_EQ(canonical("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(canonical("123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_EQ(canonical("8Ei"), "9223372036854775807");
  EXPECT_EQ(canonical("-100Ei"), "-9223372036854775807");
  EXPECT_EQ(q("8Ei").as_int64(), INT64_MAX);
}

TEST(QuantityTest, RefusesWhatIsNoQuantity) {
  for (const std::string text :
       {"",      "+",    "-",      ".",       "Mi",    "1.1.M", "1+1.0M", "0.1mi", "0.1am", "aoeu",
        ".5i",   "1i",   "-3.01i", "-3.01e-", " 1",    "1 ",    "1KI",    "1ki",   "1K",    "1e",
        "1e1.5", "1ee3", "1mm",    "0x1",     "1_000", "--1",   "1e5k",   "Inf",   "NaN"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
}

TEST(QuantityTest, RefusesNumbersWithMoreThanAThousandDigits) {
  EXPECT_TRUE(Quantity::parse("1" + std::string(999, '0')));
  EXPECT_FALSE(Quantity::parse("1" + std::string(1000, '0')));
  EXPECT_FALSE(Quantity::parse("1e1000"));
  EXPECT_FALSE(Quantity::parse("1e999999999999999999999"));
  EXPECT_FALSE(Quantity::parse(std::string(1 << 20, '0')));
}

TEST(QuantityTest, ErrorsNameTheText) {
  EXPECT_EQ(Quantity::parse("1KI").error().message(),
            "quantity \"1KI\" must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(Quantity::parse("1Mm").error().message(), "unable to parse the suffix of quantity \"1Mm\"");
}

TEST(QuantityTest, ComparesAmountsAcrossFormats) {
  EXPECT_EQ(q("1Ki"), q("1024"));
  EXPECT_EQ(q("1"), q("1000m"));
  EXPECT_EQ(q("1e3"), q("1k"));
  EXPECT_LT(q("1M"), q("1Mi"));
  EXPECT_LT(q("-2"), q("-1"));
  EXPECT_LT(q("-1"), q("0"));
  EXPECT_GT(q("1e30"), q("1E"));
}

TEST(QuantityTest, AddsAndSubtracts) {
  EXPECT_EQ((q("100m") + q("1.9")).to_string(), "2");
  EXPECT_EQ((q("1Gi") - q("512Mi")).to_string(), "512Mi");
  EXPECT_EQ((q("1") - q("3")).to_string(), "-2");
  EXPECT_EQ((q("-1") - q("-1")).to_string(), "0");
  EXPECT_EQ((q("999999999n") + q("1n")).to_string(), "1");
  EXPECT_EQ((q("8Ei") + q("1")).to_string(), "8Ei");
  EXPECT_EQ((-q("5")).to_string(), "-5");
  auto doubled = q("3k");
  const auto& itself = doubled;
  doubled += itself;
  EXPECT_EQ(doubled.to_string(), "6k");
  doubled -= itself;
  EXPECT_TRUE(doubled.is_zero());
}

TEST(QuantityTest, AZeroTakesTheFormatOfWhatIsAdded) {
  EXPECT_EQ((Quantity() + q("2Ki")).to_string(), "2Ki");
  EXPECT_EQ((Quantity() - q("2Ki")).to_string(), "-2Ki");
  EXPECT_EQ((q("1k") + q("1048Ki")).format(), Format::DecimalSI);
}

TEST(QuantityTest, IntegerViewsRoundAwayFromZeroAndStayInRange) {
  EXPECT_EQ(q("1.1").value(), 2);
  EXPECT_EQ(q("-1.1").value(), -2);
  EXPECT_EQ(q("1.1").milli_value(), 1100);
  EXPECT_EQ(q("1u").milli_value(), 1);
  EXPECT_EQ(q("12k").scaled_value(3), 12);
  EXPECT_EQ(q("1e30").value(), INT64_MAX);
  EXPECT_EQ(q("-1e30").value(), INT64_MIN);
  EXPECT_EQ(q("1.1").as_int64(), std::nullopt);
  EXPECT_EQ(q("9223372036854775808").as_int64(), std::nullopt);
  EXPECT_EQ(q("-9223372036854775808").as_int64(), INT64_MIN);
  EXPECT_EQ(Quantity().as_int64(), 0);
}

TEST(QuantityTest, ConvertsToDouble) {
  EXPECT_DOUBLE_EQ(q("1500m").as_double(), 1.5);
  EXPECT_DOUBLE_EQ(q("-1Ki").as_double(), -1024);
  EXPECT_EQ(q("1e999").as_double(), HUGE_VAL);
}

TEST(QuantityTest, BuildsFromIntegers) {
  EXPECT_EQ(Quantity::from_int(2048, Format::BinarySI).to_string(), "2Ki");
  EXPECT_EQ(Quantity::from_int(INT64_MIN).to_string(), "-9223372036854775808");
  EXPECT_EQ(Quantity::from_milli(1500).to_string(), "1500m");
  EXPECT_EQ(Quantity::from_milli(-2000).to_string(), "-2");
}

rc::Gen<std::string> gen_quantity() {
  return rc::gen::exec([] {
    std::string text = *rc::gen::element<std::string>("", "-", "+");
    text += std::to_string(*rc::gen::arbitrary<std::uint32_t>());
    const auto fraction = *rc::gen::element<std::string>("", ".", ".5", ".125", ".000000001", ".999999999999");
    text += fraction;
    text += *rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "e3",
                                           "e-4", "E7", "e25");
    return text;
  });
}

TEST(QuantityTest, CanonicalFormIsAFixedPointWithTheSameValue) {
  EXPECT_TRUE(rc::check([] {
    const auto quantity = q(*gen_quantity());
    const auto text = quantity.to_string();
    auto again = q(text);
    RC_ASSERT(again == quantity);
    again.set_format(quantity.format());  // a binary amount that has no suffix reads as a decimal one, as in Go
    RC_ASSERT(again.to_string() == text);
  }));
}

/// Exact arithmetic on 128 bits, in nano, for amounts that fit.
__extension__ typedef __int128 Wide;

struct Sample {
  std::string text;
  Wide nano;
};

rc::Gen<Sample> gen_sample() {
  return rc::gen::exec([] {
    const std::int64_t mantissa = *rc::gen::arbitrary<std::int64_t>();
    static const std::vector<std::pair<std::string, std::int64_t>> suffixes = {
        {"n", 1}, {"u", 1000}, {"m", 1000000}, {"", 1000000000}, {"k", 1000000000000}, {"M", 1000000000000000}};
    const auto suffix = *rc::gen::elementOf(suffixes);
    return Sample{std::to_string(mantissa) + suffix.first, static_cast<Wide>(mantissa) * suffix.second};
  });
}

TEST(QuantityTest, ArithmeticAgreesWithExactIntegers) {
  EXPECT_TRUE(rc::check([] {
    const auto a = *gen_sample();
    const auto b = *gen_sample();
    const auto qa = q(a.text);
    const auto qb = q(b.text);
    RC_ASSERT((qa <=> qb) == (a.nano <=> b.nano));
    const auto nano_of = [](Wide nano) {  // through two parts that fit 64 bits
      const Wide billion = 1000000000;
      return q(std::to_string(static_cast<std::int64_t>(nano / billion / billion)) + "G") +
             q(std::to_string(static_cast<std::int64_t>(nano / billion % billion))) +
             q(std::to_string(static_cast<std::int64_t>(nano % billion)) + "n");
    };
    RC_ASSERT(qa + qb == nano_of(a.nano + b.nano));
    RC_ASSERT(qa - qb == nano_of(a.nano - b.nano));
    RC_ASSERT(qa + qb - qb == qa);
    RC_ASSERT(-(qa - qb) == qb - qa);
  }));
}

}  // namespace
}  // namespace kubexx::meta
