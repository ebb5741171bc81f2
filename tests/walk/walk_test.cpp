/// docs/walk.md says what one event costs on its way to the handler's queue; these tests keep it true.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/recording_handler.hpp"
#include "walk/lock_count.hpp"

namespace kubexx {
namespace {

using std::chrono::seconds;
using testkit::make_config_map;
using testkit::Recording;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// What a thread locks after it has handed an event on, to see whether there is more and to sleep, is not on the event's
// way, and whether it comes before or after the next thread's work is up to the system. So each thread's locks are read
// when it hands on.
std::uint64_t locks_of_reading() {
  return test::locks_taken("kxx-io");
}
std::uint64_t locks_of_applying() {
  return test::locks_taken("kxx-exec");
}

/// Runs handlers, and remembers how many locks had been taken when a handler's queue wanted its turn.
class HandlersExecutor final : public Executor {
 public:
  void post(Task task) override {
    locks_before = locks_of_applying();
    next_.post(std::move(task));
  }
  Timer post_after(Duration delay, Task task) override { return next_.post_after(delay, std::move(task)); }
  const Clock& clock() const override { return next_.clock(); }

  std::atomic<std::uint64_t> locks_before{0};

 private:
  ElasticExecutor next_;
};

/// Gives each task of a strand a turn of its own and counts them, and remembers how many locks reading had taken when
/// it had handed over the last one.
class CountingExecutor final : public Executor {
 public:
  void post(Task task) override {
    ++tasks;
    // One more is taken to post it.
    if (test::this_thread_is("kxx-io")) locks_with_post = locks_of_reading() + 1;
    next_.post(std::move(task));
  }
  Timer post_after(Duration delay, Task task) override { return next_.post_after(delay, std::move(task)); }
  const Clock& clock() const override { return next_.clock(); }
  std::size_t strand_turn() const noexcept override { return 1; }
  /// Until its one thread has done what was posted before.
  void settle() {
    std::latch reached(1);
    next_.post([&] { reached.count_down(); });
    reached.wait();
  }

  std::atomic<int> tasks{0};
  std::atomic<std::uint64_t> locks_with_post{0};

 private:
  ThreadExecutor next_{{.threads = 1}};
};

class WalkTest : public ::testing::Test {
 protected:
  WalkTest() {
    rest::ClientOptions client;
    client.executor = executor_;
    client.handlers = handlers_;
    factory_ = std::make_unique<informer::DynamicSharedInformerFactory>(testkit::client(server_, std::move(client)),
                                                                        informer::FactoryOptions{});
    registration_ = informer().add_event_handler(seen_.handler());
    factory_->start();
    EXPECT_TRUE(factory_->wait_for_cache_sync({}, {.timeout = seconds(60)}));
    write("first");
  }
  informer::Informer<meta::Object> informer() { return factory_->for_resource(kConfigMaps).value().informer(); }
  /// Returns when the handler has heard of it.
  void write(const std::string& name) {
    EXPECT_TRUE(server_.seed(make_config_map("default/" + name, "")));
    EXPECT_TRUE(seen_.await({"add default/" + name}, seconds(60)));
  }

  apiserver::Server server_;
  std::shared_ptr<CountingExecutor> executor_ = std::make_shared<CountingExecutor>();
  std::shared_ptr<HandlersExecutor> handlers_ = std::make_shared<HandlersExecutor>();
  Recording seen_;
  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
  informer::Registration registration_;
};

TEST_F(WalkTest, ALoneEventIsOneTaskOfTheStrand) {
  // A bookmark or the rest of a request may come in between, so the least of several counts.
  int least = 1000;
  for (int i = 0; i < 10; ++i) {
    const int before = executor_->tasks;
    write("event-" + std::to_string(i));
    least = std::min(least, executor_->tasks - before);
  }
  EXPECT_EQ(least, 1);
}

TEST_F(WalkTest, ALoneEventTakesAtMostTwelveLocksOnItsWayToTheHandlersQueue) {
  ASSERT_GT(test::locks_taken("kxx-io"), 0U);
  ASSERT_GT(test::locks_taken("kxx-exec"), 0U);
  std::uint64_t least = 1000;
  for (int i = 0; i < 20; ++i) {
    executor_->settle();  // what the event before left to do is none of this one's
    const auto reading = locks_of_reading();
    const auto applying = locks_of_applying();
    write("event-" + std::to_string(i));
    least = std::min(least, executor_->locks_with_post - reading + handlers_->locks_before - applying);
  }
  RecordProperty("locks", static_cast<int>(least));
  EXPECT_LE(least, 12U);
}

// Where a client has its own threads. One of them may be late and another one go on, so the most of several counts, and
// the least of the locks. Those here include what the threads need among themselves, up to the handler's call.
TEST(WalkOfAClientTest, ALoneEventIsAppliedAndHandledByTheThreadThatReadIt) {
  apiserver::Server server;
  std::atomic<std::thread::id> applied;
  std::atomic<int> by_the_same{0};
  std::atomic<int> handled{0};
  std::atomic<std::uint64_t> locks_at_call{0};
  informer::FactoryOptions options;
  options.defaults.transform = [&](meta::Object object) -> Result<meta::Object> {
    applied = std::this_thread::get_id();
    return object;
  };
  informer::DynamicSharedInformerFactory factory(testkit::client(server, {}), options);
  const auto registration = factory.for_resource(kConfigMaps)
                                .value()
                                .informer()
                                .add_event_handler({
                                    .on_add =
                                        [&](const auto&, bool) {
                                          locks_at_call = test::locks_taken("kxx-work");
                                          if (applied.load() == std::this_thread::get_id()) ++by_the_same;
                                          ++handled;
                                          handled.notify_all();
                                        },
                                });
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = seconds(60)}));
  constexpr int kEvents = 20;
  std::uint64_t least = 1000;
  for (int i = 0; i < kEvents; ++i) {
    const int before = handled;
    const auto locks_before = test::locks_taken("kxx-work");
    ASSERT_TRUE(server.seed(make_config_map("default/event-" + std::to_string(i), "")));
    while (handled == before) handled.wait(before);
    least = std::min(least, locks_at_call - locks_before);
  }
  EXPECT_GE(by_the_same, kEvents / 2);
  RecordProperty("locks", static_cast<int>(least));
  EXPECT_LE(least, 22U);
}

}  // namespace
}  // namespace kubexx
