#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/internal/base64.hpp"
#include "base/internal/random_token.hpp"
#include "rest/token_expiry.hpp"
#include "unit/rest/fixture.hpp"

namespace kubexx::rest {
namespace {

using testing::HasSubstr;

/// A service account as the kubelet mounts it, in a folder of the test's own.
class InClusterConfigTest : public RestClientTest {
 protected:
  InClusterConfigTest() : folder_((std::filesystem::temp_directory_path() / "kubexx-in-cluster-XXXXXX").string()) {
    if (!mkdtemp(folder_.data())) throw std::runtime_error("no folder");
    write("token", token_ + "\n");
    write("ca.crt", "not looked at before a client is made");
    write("namespace", "shop\n");
  }
  ~InClusterConfigTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::trunc) << text;
  }
  InClusterOptions place() const {
    InClusterOptions options;
    options.folder = folder_;
    options.environment = [variables = variables_](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
    return options;
  }
  std::string complaint() const {
    const auto config = Config::in_cluster(place());
    return config ? "none" : config.error().message();
  }

  std::string folder_;
  const std::string token_ = random_token();
  std::map<std::string, std::string> variables_ = {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
                                                   {"KUBERNETES_SERVICE_PORT", "443"}};
};

/// A token that says until when it holds, without a signature that anybody could use.
std::string token_until(std::int64_t unix_seconds) {
  auto claims = base64_encode(R"({"exp":)" + std::to_string(unix_seconds) + R"(,"sub":"system:serviceaccount:a:b?>"})");
  std::ranges::replace(claims, '+', '-');
  std::ranges::replace(claims, '/', '_');
  claims.erase(claims.find_last_not_of('=') + 1);
  return "e30." + claims + "." + random_token();
}

TEST_F(InClusterConfigTest, TheFolderAndTheEnvironmentCanBeGiven) {
  const auto config = Config::in_cluster(place());
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->host, "https://10.96.0.1:443");
  EXPECT_EQ(config->bearer_token, token_);
  EXPECT_EQ(config->bearer_token_file, folder_ + "/token");
  EXPECT_EQ(config->tls.ca_file, folder_ + "/ca.crt");
  EXPECT_EQ(config->default_namespace, "shop");
}

TEST_F(InClusterConfigTest, AHostOfIpv6StandsInBrackets) {
  variables_["KUBERNETES_SERVICE_HOST"] = "fd00:10:96::1";
  EXPECT_EQ(Config::in_cluster(place())->host, "https://[fd00:10:96::1]:443");
  variables_["KUBERNETES_SERVICE_HOST"] = "[fd00:10:96::1]";
  EXPECT_EQ(Config::in_cluster(place())->host, "https://[fd00:10:96::1]:443");
}

TEST_F(InClusterConfigTest, TheVariableOfTheDownwardApiSaysTheNamespaceBeforeTheFile) {
  variables_["POD_NAMESPACE"] = "billing";
  EXPECT_EQ(Config::in_cluster(place())->default_namespace, "billing");
  variables_.erase("POD_NAMESPACE");
  std::filesystem::remove(folder_ + "/namespace");
  EXPECT_EQ(Config::in_cluster(place())->default_namespace, "default");
}

TEST_F(InClusterConfigTest, WhatIsMissingIsNamedInOneError) {
  std::filesystem::remove(folder_ + "/token");
  EXPECT_EQ(complaint(), "in a cluster, the service account's token: " + folder_ + "/token: no such file");
  write("token", "\n");
  EXPECT_EQ(complaint(), "in a cluster, the service account's token: " + folder_ + "/token: it is empty");
  write("token", token_);
  std::filesystem::remove(folder_ + "/ca.crt");
  EXPECT_EQ(complaint(), "in a cluster, the cluster's CA: " + folder_ + "/ca.crt: no such file");
}

TEST_F(InClusterConfigTest, VariablesThatDoNotFitAreNamedInOneError) {
  variables_["KUBERNETES_SERVICE_PORT"] = "tcp://10.96.0.1:443";
  EXPECT_EQ(complaint(), "in a cluster: KUBERNETES_SERVICE_PORT is no port: \"tcp://10.96.0.1:443\"");
  variables_["KUBERNETES_SERVICE_PORT"] = "0";
  EXPECT_THAT(complaint(), HasSubstr("is no port"));
  variables_.erase("KUBERNETES_SERVICE_PORT");
  EXPECT_EQ(complaint(), "in a cluster: KUBERNETES_SERVICE_PORT is not set");
  variables_.clear();
  EXPECT_THAT(complaint(), HasSubstr("not in a cluster"));
}

TEST_F(InClusterConfigTest, LoadTakesTheSamePlaceAndSaysWhatItLacks) {
  LoadOptions options;
  options.in_cluster = place();
  setenv("KUBECONFIG", "/no/such/file", 1);
  const auto config = Config::load(options);
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->default_namespace, "shop");

  std::filesystem::remove(folder_ + "/ca.crt");
  const auto without = Config::load(options);
  options.certificate_authority = folder_ + "/namespace";
  const auto another = Config::load(options);
  unsetenv("KUBECONFIG");
  EXPECT_THAT(without.error().message(), HasSubstr(folder_ + "/ca.crt: no such file"));
  ASSERT_TRUE(another) << another.error();
  EXPECT_EQ(another->tls.ca_file, folder_ + "/namespace");
}

TEST_F(InClusterConfigTest, ARefusedTokenSaysItsFileAndThatItExpired) {
  const auto wall =
      std::chrono::duration_cast<std::chrono::seconds>(executor->clock().wall().time_since_epoch()).count();
  const auto expired = token_until(wall - 60);
  write("token", expired);
  Config config;
  config.bearer_token_file = folder_ + "/token";
  const auto client = make(config);

  transport->answer(401, "no");
  const auto refused = send(client, get_pod())->error();
  EXPECT_TRUE(refused.is_unauthorized());
  EXPECT_THAT(refused.message(), testing::StartsWith("the token of " + folder_ + "/token was refused, it expired at " +
                                                     meta::Time{wall - 60}.to_string()));
  EXPECT_THAT(refused.message(), testing::Not(HasSubstr(expired.substr(expired.rfind('.') + 1))));

  std::filesystem::remove(folder_ + "/token");
  transport->answer(401, "no");
  EXPECT_THAT(send(client, get_pod())->error().message(),
              HasSubstr(", and no other is there (" + folder_ + "/token: no such file"));

  write("token", token_until(wall + 60));
  transport->answer(401, "no");
  EXPECT_THAT(send(client, get_pod())->error().message(),
              testing::StartsWith("the token of " + folder_ + "/token was refused: "));
}

TEST(TokenExpiryTest, OnlyAJwtWithATimeSaysUntilWhenItHolds) {
  EXPECT_EQ(expiry_of_token(token_until(1'800'000'000)), meta::Time{1'800'000'000});
  for (const auto* other : {"", "opaque", "a.b", "a..c", "..", "a.!!!!.c", "e30.e30.x", "e30.eyJleHAiOiJ4In0.x",
                            "e30.eyJleHAiOi0xfQ.x", "e30.eyJleHAiOjllMzB9.x"})
    EXPECT_EQ(expiry_of_token(other), std::nullopt) << other;
  EXPECT_EQ(expiry_of_token("e30." + std::string(1 << 20, 'e') + ".x"), std::nullopt);
}

}  // namespace
}  // namespace kubexx::rest
