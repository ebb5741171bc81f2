#include "apiserver/storage/continue_token.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/internal/base64.hpp"

namespace kubexx::apiserver {
namespace {

TEST(ContinueTokenTest, ATokenSurvivesItsText) {
  for (const std::int64_t version : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{9'223'372'036'854'775'807}}) {
    for (const std::string& start : {std::string(), std::string("default/a\0", 10), std::string("\u00e4\"\\/x")}) {
      const auto token = ContinueToken::decode(ContinueToken{version, start}.encode());
      ASSERT_TRUE(token.has_value());
      EXPECT_EQ(token->version, version);
      EXPECT_EQ(token->start, start);
    }
  }
}

TEST(ContinueTokenTest, ATokenReadsAsThatOfARealServer) {
  const std::string text = ContinueToken{5, "default/a"}.encode();
  EXPECT_EQ(text.find_first_of("+/="), std::string::npos) << text;
  EXPECT_EQ(text, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvZGVmYXVsdC9hIn0");
}

TEST(ContinueTokenTest, WhatIsNoTokenIsRefused) {
  const auto encoded = [](std::string_view json) {
    std::string text = base64_encode(json);
    text.erase(text.find_last_not_of('=') + 1);
    return text;
  };
  EXPECT_TRUE(ContinueToken::decode(encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"/a"})")).has_value());
  for (const std::string& text :
       {std::string(), std::string("!"), std::string(1, '\0'), std::string("AAAA"), encoded("[]"), encoded("{"),
        encoded(R"({"v":"meta.k8s.io/v2","rv":5,"start":"/a"})"), encoded(R"({"v":"meta.k8s.io/v1","start":"/a"})"),
        encoded(R"({"v":"meta.k8s.io/v1","rv":0,"start":"/a"})"),
        encoded(R"({"v":"meta.k8s.io/v1","rv":"5","start":"/a"})"),
        encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a"})"), encoded(R"({"v":"meta.k8s.io/v1","rv":5})")}) {
    EXPECT_FALSE(ContinueToken::decode(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace kubexx::apiserver
