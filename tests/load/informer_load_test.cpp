/// An informer with much to do. ./dev test has it small; KUBEXX_LOAD=full is what ./dev test-long load runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "support/checked_history.hpp"

namespace kubexx::load {
namespace {

using namespace std::chrono_literals;
using testkit::eventually;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr Duration kLongWait = 10min;

struct Size {
  std::size_t objects;
  std::size_t events_per_second;
  Duration duration;
};

bool full() {
  const char* const asked = std::getenv("KUBEXX_LOAD");
  return asked && std::string_view(asked) == "full";
}

std::size_t resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return (pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) >> 20;
}

std::string key_of(std::size_t index) {
  return "space-" + std::to_string(index % 50) + "/object-" + std::to_string(index);
}

void tell(const std::string& what) {
  if (full()) std::cout << "load: " << what << std::endl;
}

/// Holds its first call until it is let go.
class Stuck final : public informer::ResourceEventHandler {
 public:
  explicit Stuck(std::shared_ptr<CheckedHistory> to) : to_(std::move(to)) {}
  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override {
    wait();
    to_->on_add(object, initial, context);
  }
  void on_update(const meta::Object& before, const meta::Object& after,
                 const informer::EventContext& context) override {
    wait();
    to_->on_update(before, after, context);
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override {
    wait();
    to_->on_delete(gone, context);
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    changed_.notify_all();
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return free_; });
  }
  const std::shared_ptr<CheckedHistory> to_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool free_ = false;
};

/// The embedded server and one informer of everything there is.
class InformerLoadTest : public ::testing::Test {
 protected:
  InformerLoadTest() : server_(options()) {}

  static apiserver::Options options() {
    apiserver::Options made;
    made.history_events = 1'000'000;
    made.history_bytes = 1 << 30;
    made.watch_backlog = 1 << 30;  // the machine may be busy: a watcher that is cut would list, and merge events
    made.unread_bytes = 2U << 30;
    made.request_log_entries = 100;
    return made;
  }
  void seed(std::size_t objects) {
    for (std::size_t i = 0; i < objects; ++i) put(i, 0);
  }
  void put(std::size_t index, std::uint64_t number) {
    ASSERT_TRUE(server_.seed(testkit::make_config_map(key_of(index), std::to_string(number))));
  }
  /// Steadily, as far as the machine keeps up; how many there were.
  std::uint64_t change(const Size& size, const std::function<void()>& now_and_then) {
    const auto& clock = Clock::system();
    const TimePoint begin = clock.now();
    const auto total = static_cast<std::uint64_t>(static_cast<double>(size.events_per_second) *
                                                  std::chrono::duration<double>(size.duration).count());
    std::mutex mutex;
    std::condition_variable never;
    for (std::uint64_t made = 0; made < total;) {
      const auto passed = std::chrono::duration<double>(clock.now() - begin).count();
      const auto due =
          std::min(total, static_cast<std::uint64_t>(passed * static_cast<double>(size.events_per_second)) + 1);
      for (; made < due; ++made) put(made * 7919 % size.objects, made + 1);
      now_and_then();
      std::unique_lock lock(mutex);
      never.wait_for(lock, 1ms);  // until the next are due
    }
    const auto rate = static_cast<double>(total) / std::chrono::duration<double>(clock.now() - begin).count();
    tell(std::to_string(total) + " events at " + std::to_string(rate) + " a second");
    if (full()) {
      EXPECT_GE(rate, 0.95 * static_cast<double>(size.events_per_second)) << "this was not the load that is promised";
    }
    return total;
  }
  std::vector<std::string> state() {
    std::vector<std::string> all;
    for (const auto& object : server_.core().list(kConfigMaps)) {
      all.push_back(object.key() + "=" + std::string(object.resource_version()));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  std::vector<std::string> cached() const {
    std::vector<std::string> all;
    for (const auto& object : informer_->store()->list()) {
      all.push_back(object.key() + "=" + std::string(object.resource_version()));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  void begin() {
    factory_ = std::make_unique<informer::DynamicSharedInformerFactory>(testkit::client(server_));
    informer_ = factory_->for_resource(kConfigMaps).value().informer().shared();
  }
  bool synced() {
    factory_->start();
    return static_cast<bool>(factory_->wait_for_cache_sync({}, {.timeout = kLongWait}));
  }

  apiserver::Server server_;
  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
  std::shared_ptr<informer::SharedIndexInformer> informer_;
};

TEST_F(InformerLoadTest, AStuckHandlerCostsTheOthersNothingIsBoundedByKeysAndCatchesUp) {
  const Size size = full() ? Size{100'000, 5'000, 5min} : Size{500, 1'000, 2s};
  constexpr std::size_t kOthers = 19;
  seed(size.objects);
  begin();
  std::vector<std::shared_ptr<CheckedHistory>> others;
  std::vector<informer::Registration> registrations;
  for (std::size_t i = 0; i < kOthers; ++i) {
    others.push_back(std::make_shared<CheckedHistory>(HistoryRules{.versions_may_fall = false}));
    registrations.push_back(informer_->add_event_handler(others.back()));
  }
  const auto late = std::make_shared<CheckedHistory>(HistoryRules{.versions_may_fall = false});
  const auto stuck = std::make_shared<Stuck>(late);
  registrations.push_back(informer_->add_event_handler(stuck, {.coalesce = true, .name = "stuck"}));
  ASSERT_TRUE(synced());
  for (const auto& history : others) {
    ASSERT_TRUE(eventually([&] { return history->view().size() == size.objects; }, kLongWait));
  }
  const auto memory = resident_megabytes();

  std::size_t deepest = 0;
  const auto events = change(size, [&] { deepest = std::max(deepest, registrations.back().status().depth); });

  const auto wanted = state();
  ASSERT_TRUE(eventually([&] { return cached() == wanted; }, kLongWait));
  for (const auto& history : others) {
    ASSERT_TRUE(eventually([&] { return history->view() == wanted; }, kLongWait));
    EXPECT_TRUE(history->problems().empty()) << history->problems().front();
    EXPECT_EQ(history->calls(), size.objects + events);  // none was merged, none lost
  }
  EXPECT_LE(informer_->status().reflector.lists, 1U);  // none where the first state came by a WatchList
  // One notification a key waits, and an add that was not heard takes what follows.
  EXPECT_LE(deepest, size.objects);
  EXPECT_EQ(late->calls(), 0U);
  const auto grown = resident_megabytes() - std::min(memory, resident_megabytes());
  tell("memory " + std::to_string(memory) + " MB, then " + std::to_string(grown) + " MB more");
  // The server's history, the objects that wait and the allocator's share; 1.5 million events that waited would be far
  // more.
  EXPECT_LT(grown, 200U + size.objects / 50);

  stuck->let_go();

  EXPECT_TRUE(eventually([&] { return late->view() == wanted; }, kLongWait));
  EXPECT_TRUE(late->problems().empty()) << late->problems().front();
  EXPECT_LE(late->calls(), 2 * size.objects);
  registrations.clear();
}

TEST_F(InformerLoadTest, AVeryLargeCacheIsListedWhileEventsArriveAndIsRightInTheEnd) {
  const std::size_t objects = full() ? 1'000'000 : 3'000;
  seed(objects);
  begin();
  tell("seeded, " + std::to_string(resident_megabytes()) + " MB");
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (std::uint64_t number = 1; !over; ++number) put(number * 7919 % objects, number);
  });

  const TimePoint began = Clock::system().now();
  const bool there = synced();
  tell("synced after " + std::to_string(std::chrono::duration<double>(Clock::system().now() - began).count()) + " s");
  over = true;
  writer.join();

  ASSERT_TRUE(there);
  const auto wanted = state();
  EXPECT_EQ(wanted.size(), objects);
  EXPECT_TRUE(eventually([&] { return cached() == wanted; }, kLongWait));
  const auto some = informer_->store()->index_keys(store::kNamespaceIndex, "space-7");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->size(), objects / 50);
  tell(std::to_string(resident_megabytes()) + " MB with server and cache; the cache " +
       std::to_string(informer_->status().bytes >> 20) + " MB");
}

}  // namespace
}  // namespace kubexx::load
