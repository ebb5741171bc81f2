#include <latch>
#include <thread>

#include "inspect/health_text.hpp"
#include "kubexx/inspect/server.hpp"
#include "unit/httpd/raw_client.hpp"
#include "unit/inspect/fixture.hpp"

namespace kubexx::inspect {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SiteHealthTest : public SiteTest {
 protected:
  void make_page(bool standby_is_ready = true) {
    Site::Settings settings;
    settings.health = checks;
    settings.standby_is_ready = standby_is_ready;
    make({"", "v1", "configmaps"}, {reflector::config_map("a", "1")}, settings);
    sync();
  }
  Answer stranger(const std::string& target) { return ask(request(target)); }

  std::shared_ptr<HealthChecks> checks = std::make_shared<HealthChecks>();
};

TEST_F(SiteHealthTest, TheChecksThatEveryPageHasAreNamed) {
  make_page();

  EXPECT_EQ(stranger("/healthz?verbose").body, "[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(stranger("/livez?verbose").body, "[+]ping ok\nlivez check passed\n");
  EXPECT_EQ(stranger("/readyz?verbose").body,
            "[+]ping ok\n[+]informer-sync ok\n[+]informer-freshness ok\nreadyz check passed\n");
  EXPECT_EQ(stranger("/readyz").body, "ok\n");
}

TEST_F(SiteHealthTest, AProgramsOwnChecksFailThePageTheyAreForWithReasonsForWhoHasTheToken) {
  make_page();
  const auto live = checks->add("worker", HealthProbe::Liveness, [] { return Error::config("stuck\nsince noon"); });
  const auto ready = checks->add("database", HealthProbe::Readiness, [] { return Result<void>(); });

  const auto withheld = stranger("/healthz");
  EXPECT_EQ(withheld.status, 503);
  EXPECT_EQ(withheld.body, "[+]ping ok\n[-]worker failed: reason withheld\nhealthz check failed\n");
  EXPECT_THAT(get("/healthz").body, HasSubstr("[-]worker failed: stuck since noon\n"));
  EXPECT_EQ(stranger("/readyz").status, 200);
  EXPECT_THAT(stranger("/readyz?verbose").body, HasSubstr("[+]database ok\n"));
}

TEST_F(SiteHealthTest, OneCheckCanBeAskedForAndOthersLeftOut) {
  make_page();
  const auto a = checks->add("a", HealthProbe::Readiness, [] { return Error::config("bad"); });
  const auto b = checks->add("b", HealthProbe::Readiness, [] { return Error::config("bad"); });

  EXPECT_EQ(stranger("/readyz/ping").body, "ok\n");
  EXPECT_EQ(stranger("/readyz/a").body, "[-]a failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(stranger("/readyz/nothing").status, 404);
  EXPECT_EQ(stranger("/healthz/a").status, 404);
  EXPECT_EQ(stranger("/readyz?exclude=a").status, 503);
  EXPECT_EQ(stranger("/readyz?exclude=a&exclude=b").status, 200);
  const auto verbose = stranger("/readyz?verbose&exclude=a&exclude=b&exclude=c").body;
  EXPECT_THAT(verbose, HasSubstr("[+]a excluded: ok\n[+]b excluded: ok\nwarn: no check to exclude: c\n"));
  EXPECT_EQ(stranger("/readyzzz").status, 401);
}

TEST_F(SiteHealthTest, AStandbySaysThatItStandsByAndIsReady) {
  make_page();
  const auto leader = checks->add("leader", HealthProbe::Both, [] { return Health::standby("b leads"); });

  EXPECT_EQ(stranger("/readyz").status, 200);
  EXPECT_EQ(stranger("/readyz").body, "ok (standby)\n");
  EXPECT_EQ(stranger("/healthz").body, "ok (standby)\n");
  EXPECT_THAT(stranger("/readyz?verbose").body, HasSubstr("[~]leader standby\nreadyz check passed, standing by\n"));
  EXPECT_THAT(get("/readyz?verbose").body, HasSubstr("[~]leader standby: b leads\n"));
}

TEST_F(SiteHealthTest, AStandbyIsNotReadyIfTheProgramWantsItSo) {
  make_page(false);
  const auto leader = checks->add("leader", HealthProbe::Both, [] { return Health::standby("b leads"); });

  EXPECT_EQ(stranger("/readyz").status, 503);
  EXPECT_THAT(stranger("/readyz").body, HasSubstr("[~]leader standby\nreadyz check failed, standing by\n"));
  EXPECT_EQ(stranger("/healthz").status, 200);
}

TEST_F(SiteHealthTest, ProbesThatComeTogetherShareOneRun) {
  make_page();
  int runs = 0;
  const auto counted = checks->add("counted", HealthProbe::Readiness, [&] {
    ++runs;
    return Health();
  });
  std::vector<int> answers;
  for (int i = 0; i < 5; ++i) {
    site->answer(request("/readyz"), [&](const Answer& answer) { answers.push_back(answer.status); });
  }
  EXPECT_EQ(runs, 0);
  executor->run_until_idle();

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(answers, std::vector<int>(5, 200));
  EXPECT_EQ(stranger("/readyz").status, 200);
  EXPECT_EQ(runs, 2);
}

/// The rest of the page, and other probes, while a check of the program does not return.
TEST(InspectHealthTest, ACheckThatBlocksFailsInTimeAndNothingElseWaitsForIt) {
  std::latch begun(1);
  std::latch finish(1);
  std::atomic<int> calls{0};
  const auto checks = std::make_shared<HealthChecks>();
  const auto stuck = checks->add("stuck", HealthProbe::Liveness, [&] {
    if (calls++ == 0) begun.count_down();
    finish.wait();
    return Health();
  });
  const auto page = Server::start({.health = checks, .health_patience = std::chrono::milliseconds(50)}).value();
  const auto ask = [&](const std::string& target) {
    httpd::RawClient client(page->port());
    client.send("GET " + target + " HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer " + page->token() +
                "\r\n\r\n");
    return client.reply();
  };

  EXPECT_EQ(ask("/healthz").status, 503);
  begun.wait();  // perhaps when the patience is over: the thread has to get its turn
  const auto late = ask("/healthz");
  EXPECT_EQ(late.status, 503);
  EXPECT_THAT(late.body, StartsWith("[-]stuck failed: no answer within 0"));
  EXPECT_EQ(ask("/healthz/ping").status, 503);
  EXPECT_EQ(ask("/readyz").status, 503);  // the checks run one after the other
  EXPECT_EQ(ask("/api/status").status, 200);
  EXPECT_EQ(calls, 1);

  finish.count_down();
  const auto until = Clock::system().now() + std::chrono::seconds(60);
  for (const char* target : {"/healthz", "/readyz"}) {
    int status = 0;
    while (status != 200 && Clock::system().now() < until) status = ask(target).status;
    EXPECT_EQ(status, 200) << target;
  }
}

TEST(InspectHealthTest, ChecksMayBeAddedToAPageThatRuns) {
  const auto page = Server::start().value();
  const auto own = page->health().add("own", HealthProbe::Both, [] { return Health(); });
  httpd::RawClient client(page->port());
  client.send("GET /readyz?verbose HTTP/1.1\r\nhost: localhost\r\n\r\n");

  EXPECT_THAT(client.reply().body, HasSubstr("[+]own ok\n"));
}

}  // namespace
}  // namespace kubexx::inspect
