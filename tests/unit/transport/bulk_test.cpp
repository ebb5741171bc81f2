#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <set>

#include "transport/buffer_pool.hpp"
#include "unit/transport/support/fixture.hpp"

/// Much at once: how it is collected and handed over.
namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

TEST(BufferPoolTest, ABufferThatEndsIsTheNextOneThatIsTaken) {
  const auto pool = std::make_shared<BufferPool>();
  const char* where = nullptr;
  {
    auto buffer = pool->take();
    EXPECT_GE(buffer.room(), BufferPool::kBytes);
    buffer.append("some bytes");
    where = buffer.bytes().data();
  }
  const auto again = pool->take();
  EXPECT_TRUE(again.empty());
  EXPECT_EQ(again.bytes().data(), where);
}

std::set<const void*> take_at_once(BufferPool& pool, int count) {
  std::list<Buffer> taken;
  std::set<const void*> where;
  for (int i = 0; i < count; ++i) {
    taken.push_back(pool.take());
    where.insert(taken.back().bytes().data());
  }
  return where;
}

TEST(BufferPoolTest, SoManyAreKeptAsWereNeededAtOnce) {
  const auto pool = std::make_shared<BufferPool>();
  const auto first = take_at_once(*pool, 10);
  EXPECT_EQ(first.size(), 10U);
  EXPECT_EQ(take_at_once(*pool, 10), first);
}

TEST(BufferPoolTest, BuffersOutliveTheirPoolsOwnerAndMayMove) {
  auto pool = std::make_shared<BufferPool>();
  auto buffer = pool->take();
  buffer.append("kept");
  pool.reset();
  Buffer moved = std::move(buffer);
  EXPECT_EQ(moved.bytes(), "kept");
  moved = Buffer(std::string("other"));
  EXPECT_EQ(moved.bytes(), "other");
}

/// Counts what it is given.
class Pieces final : public ResponseSink {
 public:
  void on_headers(int, const Headers&) override {}
  bool on_data(Buffer piece) override {
    const std::lock_guard lock(mutex_);
    largest_ = std::max(largest_, piece.size());
    bytes_ += piece.size();
    return true;
  }
  void on_end(const Error* error) override {
    const std::lock_guard lock(mutex_);
    failed_ = error != nullptr;
    ended_ = true;
    changed_.notify_all();
  }
  bool await_end() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, [&] { return ended_; }) && !failed_;
  }
  std::size_t largest() const { return largest_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t largest_ = 0;
  std::size_t bytes_ = 0;
  bool ended_ = false;
  bool failed_ = false;
};

TEST(BulkTest, WhatComesAtOnceIsOnePiece) {
  constexpr std::uint64_t kBytes = 32 << 20;
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.filler = kBytes;
    return reply;
  }));
  auto client = make_transport(server.options());
  const auto sink = std::make_shared<Pieces>();
  const auto exchange = client->send(get(server.url()), sink);

  ASSERT_TRUE(sink->await_end());
  EXPECT_EQ(sink->bytes(), kBytes);
  EXPECT_GE(sink->largest(), 32U << 10) << "frames have 16 KB at most";
}

TEST(BulkTest, AReaderThatPausesInTheMiddleOfAPieceGetsTheRestLater) {
  constexpr std::size_t kBytes = 3 << 20;
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.filler = kBytes;
    return reply;
  }));
  auto client = make_transport(server.options());
  Pending slow;
  slow.sink->pause_at(1);  // after every piece
  slow.exchange = client->send(get(server.url()), slow.sink);
  for (std::size_t seen = 0; seen < kBytes;) {
    ASSERT_TRUE(slow->await_bytes(seen + 1));
    seen = slow->received();  // before it goes on: the next piece pauses it again
    slow.exchange->resume();
  }
  ASSERT_TRUE(slow->await_end());
  EXPECT_FALSE(slow->error());
  EXPECT_EQ(slow->received(), kBytes);
  EXPECT_EQ(slow->misuse(), 0);
}

}  // namespace
}  // namespace kubexx::transport::test
