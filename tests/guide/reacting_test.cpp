#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "guide/guide_server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testkit::eventually;

class ReactingTest : public GuideTest {
 protected:
  void tell(const std::string& line) {
    const std::lock_guard lock(mutex_);
    told_.push_back(line);
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  bool comes(const std::string& line) {
    return eventually([&] { return std::ranges::count(told(), line) > 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;  // guarded by mutex_
};

TEST_F(ReactingTest, HandlersHearWhatChangedAndWhy) {
  seed_pod("web-1", "worker-1", "web");
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();

  // [begin handlers]
  const auto registration = pods.add_event_handler(
      {
          .on_add = [&](const Pod& pod, bool initial) { tell((initial ? "has " : "new ") + pod.key()); },
          .on_update =
              [&](const Pod& before, const Pod& after, const informer::EventContext& context) {
                if (context.cause() == informer::EventCause::Resync) return;  // nothing changed
                for (const auto& path : context.changed_paths()) tell(after.key() + " " + path);
                if (before.uid() != after.uid()) tell(after.key() + " is another pod of that name");
              },
          .on_delete =
              [&](const informer::Deleted<Pod>& gone) {
                tell(gone.key() + (gone.final_state_known() ? " is gone" : " is gone, as a list says"));
              },
      },
      {.name = "journal"});
  // [end handlers]
  factory.start();

  EXPECT_TRUE(comes("has default/web-1"));
  seed_pod("web-1", "worker-1", "api");
  EXPECT_TRUE(comes("default/web-1 /metadata/labels/app"));
  seed_pod("web-2", "worker-1", "web");
  EXPECT_TRUE(comes("new default/web-2"));
  ASSERT_TRUE(server.remove<Pod>(meta::ObjectKey::parse("default/web-2")));
  EXPECT_TRUE(comes("default/web-2 is gone"));
  EXPECT_EQ(registration.status().name, "journal");
}

TEST_F(ReactingTest, AFilterTurnsUpdatesIntoAddsAndDeletes) {
  seed_pod("web-1", "worker-1", "web", "Pending");
  informer::SharedInformerFactory factory(client);

  // [begin filter]
  informer::FilteringResourceEventHandler<Pod> running;
  running.filter = [](const Pod& pod) { return pod.status().phase() == "Running"; };
  running.handler.on_add = [&](const Pod& pod) { tell(pod.key() + " runs"); };
  running.handler.on_delete = [&](const auto& gone) { tell(gone.key() + " runs no more"); };
  const auto registration = factory.core().v1().pods().add_event_handler(running);
  // [end filter]
  factory.start();
  ASSERT_TRUE(registration.wait_until_synced());
  EXPECT_TRUE(told().empty());

  seed_pod("web-1", "worker-1", "web", "Running");
  EXPECT_TRUE(comes("default/web-1 runs"));
  seed_pod("web-1", "worker-1", "web", "Failed");
  EXPECT_TRUE(comes("default/web-1 runs no more"));
}

TEST_F(ReactingTest, ASlowHandlerThatCoalescesKeepsTheLatestOfEachKey) {
  seed_pod("web-1", "worker-1", "v1");
  std::mutex gate;
  std::unique_lock closed(gate);
  std::atomic<int> begun = 0;
  const auto take_time = [&] {
    ++begun;
    const std::lock_guard wait(gate);
  };
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();

  // [begin slow]
  const auto slow = [&](const Pod& pod) {
    take_time();
    tell(std::string(pod.metadata().labels()["app"]));
  };
  const auto registration = pods.add_event_handler({.on_update = slow}, {.coalesce = true, .name = "slow"});
  // [end slow]
  factory.start();
  ASSERT_TRUE(registration.wait_until_synced());
  seed_pod("web-1", "worker-1", "v2");
  ASSERT_TRUE(eventually([&] { return begun == 1; }));
  for (const auto* version : {"v3", "v4", "v5"}) seed_pod("web-1", "worker-1", version);
  ASSERT_TRUE(pods.wait_until(std::to_string(server.version()), {.timeout = 10s}));
  ASSERT_TRUE(eventually([&] { return registration.status().depth == 1; }));
  closed.unlock();

  EXPECT_TRUE(comes("v5"));
  EXPECT_THAT(told(), ElementsAre("v2", "v5"));
}

}  // namespace
}  // namespace kubexx::guide
