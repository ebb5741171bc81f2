#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/random.hpp"
#include "unit/apiserver/addresses.hpp"
#include "unit/httpd/raw_client.hpp"

namespace kubexx::apiserver {
namespace {

/// The status of the answer to a request with these lines in its header.
int asked_with(const Server& server, const std::string& lines, const std::string& method = "GET") {
  httpd::RawClient client(server.port());
  std::string body = method == "POST" ? R"({"metadata":{"generateName":"a-"}})" : "";
  client.send(method + ' ' + kConfigMaps + " HTTP/1.1\r\n" + lines +
              "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  return client.reply().status;
}

Options open_to_all() {
  Options options;
  options.authentication = false;
  return options;
}

// DNS rebinding: a name of somebody else's leads to 127.0.0.1 for a moment, and his page is of the same site.
TEST(ForeignPagesTest, WithoutAuthenticationOnlyNamesOfThisMachineAreServed) {
  auto options = open_to_all();
  options.allowed_hosts = {"kube.test"};
  const Server server(options);
  const auto port = std::to_string(server.port());
  for (const std::string& ours : {"127.0.0.1:" + port, "localhost:" + port, std::string("LOCALHOST"),
                                  std::string("[::1]:1"), std::string("10.0.0.1:80"), "kube.test:" + port})
    EXPECT_EQ(asked_with(server, "Host: " + ours + "\r\n"), 200) << ours;
  for (const std::string& another :
       {"evil.example:" + port, "127.evil.example:" + port, "localhost.evil.example:" + port,
        std::string("evil.example"), std::string("a b"), std::string("[::1")})
    EXPECT_EQ(asked_with(server, "Host: " + another + "\r\n"), 403) << another;
  EXPECT_EQ(asked_with(server, "Host: evil.example\r\nOrigin: http://evil.example\r\n", "POST"), 403);
  EXPECT_EQ(asked_with(server, "Host: 127.0.0.1\r\n", "POST"), 201);
}

TEST(ForeignPagesTest, WhatAnotherPageAsksForIsRefused) {
  const Server server(open_to_all());
  const auto host = "127.0.0.1:" + std::to_string(server.port());
  for (const std::string origin : {"http://evil.example", "null", "http://127.0.0.1:1", "https://evil.example:443"})
    EXPECT_EQ(asked_with(server, "Host: " + host + "\r\nOrigin: " + origin + "\r\n", "POST"), 403) << origin;
  EXPECT_EQ(asked_with(server, "Host: " + host + "\r\nSec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(asked_with(server, "Host: " + host + "\r\nSec-Fetch-Site: none\r\n"), 200);
  EXPECT_EQ(asked_with(server, "Host: " + host + "\r\nOrigin: http://" + host + "\r\n", "POST"), 201);
}

TEST(ForeignPagesTest, WithAuthenticationTheTokenDecidesWhateverTheName) {
  const Server server;
  const auto token = "Authorization: Bearer " + server.admin_token() + "\r\n";
  EXPECT_EQ(asked_with(server, "Host: some.name\r\n" + token), 200);
  EXPECT_EQ(asked_with(server, "Host: some.name\r\nOrigin: http://evil.example\r\n" + token), 403);
}

/// What the generator's next number is made of, from the one before: its steps can be taken back.
std::uint64_t state_behind(std::uint64_t z) {
  z ^= z >> 31 ^ z >> 62;
  z *= 0x319642b2d24d8ec3;
  z ^= z >> 27 ^ z >> 54;
  z *= 0x96de1b173f119089;
  return z ^ z >> 30 ^ z >> 60;
}

TEST(AdminTokenTest, NobodyComputesItFromOtherNumbersOfTheProcess) {
  Random guess(state_behind(Random::process().next()));
  ASSERT_EQ(guess.next(), Random::process().next()) << "this test does not guess well";
  const Server server;
  for (int i = 0; i < 4; ++i) {  // a token made of one of the next numbers
    Random seeded(guess.next());
    std::string token;
    for (int digit = 0; digit < 32; ++digit) token += "0123456789abcdef"[seeded.below(16)];
    EXPECT_NE(server.admin_token(), token);
  }
  EXPECT_EQ(server.admin_token().size(), 32U);
  EXPECT_NE(Server().admin_token(), server.admin_token());
}

TEST(AdminTokenTest, ASeedMakesItAgain) {
  Options options;
  options.seed = 7;
  EXPECT_EQ(Server(options).admin_token(), Server(options).admin_token());
}

}  // namespace
}  // namespace kubexx::apiserver
