#include "rest/request_metrics.hpp"

#include <gmock/gmock.h>

#include "unit/rest/fixture.hpp"

namespace kubexx::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RequestMetricsTest : public RestClientTest {
 protected:
  /// The count of a verb and code, -1: there is no such series.
  static double count(const Client& client, const std::string& verb, const std::string& code) {
    double found = -1;
    client.metrics()->for_each([&](const MetricFamily& family) {
      if (family.name != "kubexx_rest_requests_total") return;
      for (const auto& point : family.points) {
        const MetricLabels wanted{{"code", code}, {"server", "server.example:6443"}, {"verb", verb}};
        if (point.labels == wanted) found = point.value;
      }
    });
    return found;
  }
};

TEST_F(RequestMetricsTest, AnAnswerCountsUnderItsVerbAndCode) {
  const auto client = make();
  transport->answer(200, kPod);
  send(client, get_pod());
  transport->answer(404, "");
  send(client, get_pod());
  Request list;
  list.path = {{"", "v1", "pods"}, "ns", "", ""};
  transport->answer(200, "{}");
  send(client, list);
  const auto watch = client.watch(list.path, {}, {}, strand, make_sink({}));
  transport->answer(200, "");
  executor->run_until_idle();

  EXPECT_EQ(count(client, "GET", "200"), 1);
  EXPECT_EQ(count(client, "GET", "404"), 1);
  EXPECT_EQ(count(client, "LIST", "200"), 1);
  EXPECT_EQ(count(client, "WATCH", "200"), 1);
  EXPECT_THAT(client.metrics()->expose(),
              HasSubstr("kubexx_rest_latency_seconds_count{server=\"server.example:6443\",verb=\"GET\"} 2\n"));
}

TEST_F(RequestMetricsTest, EveryAttemptCounts) {
  const auto client = make();
  transport->answer(429, "", "1");
  transport->answer(200, kPod);
  send(client, get_pod());
  executor->advance(std::chrono::seconds(2));

  EXPECT_EQ(count(client, "GET", "429"), 1);
  EXPECT_EQ(count(client, "GET", "200"), 1);
}

TEST_F(RequestMetricsTest, WithoutAnAnswerTheCodeSaysWhatHappened) {
  const auto client = make();
  FakeTransport::Answer refused;
  refused.status = 0;
  refused.error = Error::transport(TransportFailure::Refused, "refused");
  transport->answers.push_back(refused);
  auto post = get_pod();
  post.method = "POST";
  post.path.name = "";
  send(client, post);
  refused.error = Error::transport(TransportFailure::Eof, "cut");
  transport->answers.push_back(refused);
  post.method = "PUT";
  send(client, post);
  post.path.namespace_ = "..";  // is never sent
  send(client, post);

  EXPECT_EQ(count(client, "POST", "refused"), 1);
  EXPECT_EQ(count(client, "PUT", "lost"), 1);
  EXPECT_EQ(count(client, "PUT", "unsent"), 1);
}

TEST_F(RequestMetricsTest, ACallThatIsLateCountsOnceAndACanceledOneNotAtAll) {
  Config config;
  config.timeout = std::chrono::seconds(5);
  const auto client = make(std::move(config));
  FakeTransport::Answer hangs;
  hangs.hangs = true;
  transport->answers.push_back(hangs);
  send(client, get_pod());
  executor->advance(std::chrono::seconds(6));
  EXPECT_EQ(count(client, "GET", "timeout"), 1);

  transport->answers.push_back(hangs);
  send(client, get_pod());
  call.reset();
  executor->run_until_idle();
  EXPECT_EQ(count(client, "GET", "timeout"), 1);
  EXPECT_EQ(count(client, "GET", "error"), -1);
}

TEST_F(RequestMetricsTest, VerbsAndCodesOfStrangersDoNotMakeSeries) {
  const auto client = make();
  auto odd = get_pod();
  odd.method = "BREW";
  transport->answer(9999, "");
  send(client, odd);

  EXPECT_EQ(count(client, "OTHER", "other"), 1);
  EXPECT_THAT(client.metrics()->expose(), Not(HasSubstr("BREW")));
}

}  // namespace
}  // namespace kubexx::rest
