/// What paused streams hold is given back when they are read.
#include "support/burst_cost.hpp"
#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

TEST(TransportBurstTest, WhatPausedStreamsHeldIsGivenBackWhenTheyAreRead) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  constexpr std::size_t kBody = 900'000;  // fits the room of a paused stream
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply;
    reply.filler = request.path == "/slow" ? kBody : 1;
    return reply;
  }));
  auto client = make_transport(server.options());
  std::vector<Pending> paused;

  const auto spent = kubexx::test::cost_of_burst(
      14'000,
      [&](std::size_t count) {
        const auto before = kubexx::test::live_bytes();
        for (std::size_t i = 0; i <= count / 1000; ++i) {
          Pending slow;
          slow->pause_at(1);
          slow->keep_body(false);
          slow.exchange = client->send(get(server.url("/slow")), slow.sink);
          paused.push_back(std::move(slow));
        }
        const auto held = static_cast<std::ptrdiff_t>(paused.size() * kBody * 9 / 10);
        for (int i = 0; i < 10'000 && kubexx::test::live_bytes() < before + held; ++i) {
          ASSERT_EQ(exchange(*client, get(server.url("/fast")))->received(), 1U);
        }
      },
      [&] {
        for (auto& slow : paused) {
          slow->pause_at(static_cast<std::size_t>(-1));
          slow.exchange->resume();
          ASSERT_TRUE(slow->await_end());
          EXPECT_EQ(slow->received(), kBody);
        }
        std::vector<Pending>().swap(paused);
        // The I/O thread has left the last one then.
        ASSERT_EQ(exchange(*client, get(server.url("/fast")))->received(), 1U);
      });

  EXPECT_TRUE(
      kubexx::test::given_back(spent, 12'000'000, 512 << 10));  // both ends of the connection are in this process
}

}  // namespace
}  // namespace kubexx::transport::test
