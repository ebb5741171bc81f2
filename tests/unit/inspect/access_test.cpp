#include "base/internal/random_token.hpp"
#include "unit/inspect/fixture.hpp"

namespace kubexx::inspect {
namespace {

using reflector::config_map;

class AccessTest : public SiteTest {
 protected:
  AccessTest() { make({"", "v1", "configmaps"}, {config_map("a", "1")}); }
  int status_for(const std::string& target, httpd::HeaderFields headers) {
    return ask(request(target, std::move(headers))).status;
  }
  int status_for_host(const std::string& host, const std::string& target = "/healthz") {
    httpd::Request made;
    made.method = "GET";
    made.target = target;
    if (!host.empty()) made.headers.emplace_back("host", host);
    return ask(made).status;
  }
};

TEST_F(AccessTest, DataNeedTheTokenWhereverTheyAre) {
  for (const char* path : {"/api/status", "/api/informers", "/api/queues", "/api/controllers", "/api/rows?informer=x",
                           "/api/object?informer=x", "/metrics", "/events", "/nothing"}) {
    EXPECT_EQ(status_for(path, {}), 401) << path;
    EXPECT_EQ(status_for(path, {{"authorization", "Bearer 0123456789abcdeF"}}), 401) << path;
    EXPECT_EQ(status_for(path, {{"authorization", "Bearer 0123456789abcde"}}), 401) << path;
    EXPECT_EQ(status_for(path, {{"cookie", "token=0123456789abcdef"}}), 401) << path;
  }
  EXPECT_EQ(status_for("/api/status", {{"authorization", "Bearer 0123456789abcdef"}}), 200);
  EXPECT_EQ(status_for("/api/status", {{"authorization", "bearer 0123456789abcdef"}}), 200);
  EXPECT_EQ(status_for("/api/status?token=0123456789abcdef", {}), 200);
  EXPECT_EQ(status_for("/metrics?token=0123456789abcdef", {}), 200);
}

TEST_F(AccessTest, OnlyNamesOfThisMachineAndThoseAllowedAreServed) {
  for (const char* host : {"127.0.0.1:80", "127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:80", "named.example:1"}) {
    EXPECT_EQ(status_for_host(host), 200) << host;
  }
  for (const char* host : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1:80",
                           "127.0.0.1@evil.example", "[::1", "named.example.evil", "[::1].evil.com", "[::1]evil",
                           "[::1]:80.evil.com", "localhost:80@evil.com", "localhost:80:80", "localhost:x", ":80"}) {
    EXPECT_EQ(status_for_host(host), 403) << host;
  }
}

TEST_F(AccessTest, APageBesideLoopbackTakesAnyAddressButNoName) {
  const Access access({kToken, false, {}});
  const auto refused = [&](const char* host) {
    httpd::Request made;
    made.method = "GET";
    made.headers.emplace_back("host", host);
    return access.refuse(made, Target::parse("/")).has_value();
  };
  EXPECT_FALSE(refused("10.0.0.1:80"));
  EXPECT_FALSE(refused("[fd00::1]:80"));
  EXPECT_TRUE(refused("rebound.example:80"));
}

TEST_F(AccessTest, ForeignPagesAreRefused) {
  const std::string target = std::string("/api/status?token=") + kToken;
  EXPECT_EQ(status_for(target, {{"origin", "http://127.0.0.1:4000"}}), 200);
  for (const char* origin : {"http://evil.example", "http://127.0.0.1:4001", "null", "http://127.0.0.1"}) {
    EXPECT_EQ(status_for(target, {{"origin", origin}}), 403) << origin;
  }
  EXPECT_EQ(status_for(target, {{"sec-fetch-site", "same-origin"}}), 200);
  EXPECT_EQ(status_for(target, {{"sec-fetch-site", "same-site"}}), 403);
  EXPECT_EQ(status_for(target, {{"sec-fetch-site", "cross-site"}}), 403);
}

TEST_F(AccessTest, ALinkElsewhereMayLeadToThePageButNotIntoAFrame) {
  httpd::HeaderFields link{{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}};
  auto frame = link;
  link.emplace_back("sec-fetch-dest", "document");
  frame.emplace_back("sec-fetch-dest", "iframe");

  EXPECT_EQ(status_for("/", link), 200);
  EXPECT_EQ(status_for("/", frame), 403);
  EXPECT_EQ(status_for(std::string("/api/status?token=") + kToken, link), 403);
}

TEST_F(AccessTest, OnlyReadingIsServed) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}) {
    auto made = request("/healthz");
    made.method = method;
    const auto answer = ask(made);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_THAT(answer.fields, ::testing::Contains(std::pair<std::string, std::string>("allow", "GET, HEAD")));
  }
}

TEST_F(AccessTest, NothingOfThePageIsInlineOrFromElsewhere) {
  const auto page = ask(request("/"));
  EXPECT_EQ(page.status, 200);
  for (const char* forbidden : {"<style", "onclick", "http:", "https:", "<script>"}) {
    EXPECT_EQ(page.body.find(forbidden), std::string::npos) << forbidden;
  }
  for (const char* path :
       {"/app.js", "/dom.js", "/graph.js", "/live.js", "/overview.js", "/route.js", "/table.js", "/object.js"}) {
    const auto asset = ask(request(path));
    EXPECT_EQ(asset.status, 200) << path;
    EXPECT_EQ(asset.type, "text/javascript; charset=utf-8");
    for (const char* forbidden : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("}) {
      EXPECT_EQ(asset.body.find(forbidden), std::string::npos) << path << " " << forbidden;
    }
  }
}

TEST_F(AccessTest, HealthAnswersAnybodyAndSaysReasonsOnlyWithTheToken) {
  EXPECT_EQ(ask(request("/healthz")).status, 200);
  const auto stranger = ask(request("/readyz"));
  EXPECT_EQ(stranger.status, 503);
  EXPECT_THAT(stranger.body, ::testing::HasSubstr("[-]informer-sync failed: reason withheld\n"));
  EXPECT_THAT(get("/readyz").body, ::testing::HasSubstr("configmaps: not started"));
  sync();
  EXPECT_EQ(ask(request("/readyz")).body, "ok\n");
  executor->advance(std::chrono::minutes(4));
  EXPECT_THAT(get("/readyz").body, ::testing::HasSubstr("configmaps: stale, nothing heard for 240 s"));
}

TEST_F(AccessTest, MetricsAreOpenOnRequest) {
  Site::Settings settings;
  settings.open_metrics = true;
  const Access access({kToken, true, {}});
  Site open(settings, access, *executor);
  int status = 0;
  const auto keep = [&](const Answer& answer) { status = answer.status; };
  open.answer(request("/metrics"), keep);
  EXPECT_EQ(status, 200);
  open.answer(request("/api/status"), keep);
  EXPECT_EQ(status, 401);
}

TEST(RandomTokenTest, IsLongAndNeverTheSame) {
  EXPECT_EQ(random_token().size(), 32U);
  EXPECT_NE(random_token(), random_token());
}

TEST(TargetTest, UnescapesPathAndQueryAndKeepsWhatIsMalformed) {
  const auto target = Target::parse("/a%20b?x=1%2F2&y=a+b&z&=q&x=%zz%4&n=12&m=x");
  EXPECT_EQ(target.path, "/a b");
  EXPECT_EQ(target.text("x"), "%zz%4");
  EXPECT_EQ(target.text("y"), "a b");
  EXPECT_EQ(target.text("z"), "");
  EXPECT_EQ(target.number("n", 7, 10), 10U);
  EXPECT_EQ(target.number("m", 7, 10), 7U);
}

}  // namespace
}  // namespace kubexx::inspect
