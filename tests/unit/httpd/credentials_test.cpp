#include "kubexx/httpd/credentials.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kubexx::httpd {
namespace {

TEST(CredentialsTest, ABearerTokenIsFoundWhateverTheCaseOfItsScheme) {
  for (const char* field : {"Bearer abc", "bearer abc", "BEARER   abc", "bEaReR abc def"}) {
    EXPECT_EQ(bearer_token(field), "abc") << field;
  }
  for (const char* field : {"", "Bearer", "Bearer ", "Bearer   ", "Basic abc", "abc", "Bearerabc"}) {
    EXPECT_EQ(bearer_token(field), "") << field;
  }
}

TEST(CredentialsTest, SecretsAreTheSameWhenEveryByteIs) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_TRUE(same_secret(std::string("a\0b", 3), std::string("a\0b", 3)));
  for (const char* other : {"", "ab", "abcd", "abd", "xbc", "ABC"}) EXPECT_FALSE(same_secret("abc", other)) << other;
}

}  // namespace
}  // namespace kubexx::httpd
