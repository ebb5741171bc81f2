/// What arrives faster than it is read waits in a bounded room, which is given back.
#include "support/burst_cost.hpp"
#include "unit/rest/fixture.hpp"

namespace kubexx::rest {
namespace {

/// A transport that sends what the test pushes, as long as it may.
class PushTransport final : public transport::Transport {
 public:
  std::unique_ptr<transport::Exchange> send(transport::Request, std::shared_ptr<transport::ResponseSink> to) override {
    sink = std::move(to);
    return std::make_unique<Handle>();
  }

  std::shared_ptr<transport::ResponseSink> sink;

 private:
  struct Handle final : transport::Exchange {
    void resume() override {}
  };
};

TEST(RestBurstTest, AStreamWhoseStrandIsBehindHoldsAMegabyteAndGivesItBack) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  FixtureExecutor executor;
  const auto pushed = std::make_shared<PushTransport>();
  ClientOptions options;
  options.transport = pushed;
  options.executor = executor;
  options.handlers = executor;
  const auto client = Client::create({.host = "https://server.example"}, options).value();
  std::size_t events = 0;
  auto sink = std::make_shared<FunctionSink>(SinkFunctions{.on_event = [&](const meta::WatchEvent&) { ++events; }});
  const auto call = client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, Strand(executor), sink);
  executor->run_until_idle();
  pushed->sink->on_headers(200, {{"Content-Type", "application/json"}});
  executor->run_until_idle();

  const std::string event = R"({"type":"ADDED","object":)" + std::string(kPod) + "}\n";
  std::size_t sent = 0;
  const auto spent = test::cost_of_burst(
      test::kBurst,
      [&](std::size_t count) {
        bool more = true;
        for (std::size_t i = 0; i < count && more; ++i, ++sent) more = pushed->sink->on_data(event);
      },
      [&] { executor->run_until_idle(); });

  EXPECT_EQ(events, sent);
  EXPECT_LT(spent.height, 2 << 20);
  EXPECT_TRUE(test::given_back(spent, 1'000'000));
}

}  // namespace
}  // namespace kubexx::rest
