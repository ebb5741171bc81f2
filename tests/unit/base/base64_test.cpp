#include "base/internal/base64.hpp"

#include <gtest/gtest.h>

namespace kubexx {
namespace {

TEST(Base64Test, DecodesWhatItEncodesAtEveryLength) {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    const auto decoded = base64_decode(base64_encode(bytes));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, bytes);
    bytes += static_cast<char>(length * 37);
  }
}

TEST(Base64Test, PadsAsTheStandardSays) {
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
}

TEST(Base64Test, RefusesStrangeCharactersAndWrongPadding) {
  for (const auto* text : {"Zg=", "Zg", "Z", "Zm9v=", "Z*==", "Zg==Zg==", "===="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

TEST(Base64Test, SkipsLineBreaks) {
  EXPECT_EQ(base64_decode("Zm\n9v\r\n").value(), "foo");
}

}  // namespace
}  // namespace kubexx
