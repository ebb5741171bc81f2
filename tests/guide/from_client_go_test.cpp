#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "guide/guide_server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace kubexx::guide {
namespace {

using testkit::eventually;

using FromClientGoTest = GuideTest;

TEST_F(FromClientGoTest, AQueueIsFedByHandlersAndWorkedOffByAWorker) {
  seed_pod("web-1", "worker-1", "web");
  std::stop_source stopping;
  const auto stop = stopping.get_token();
  std::atomic<int> failures = 0;
  std::atomic<int> done = 0;
  const auto sync = [&](const std::string&) { return failures++ == 0 ? false : ++done > 0; };

  informer::SharedInformerFactory factory(client);
  // [begin queue]
  workqueue::RateLimitingQueue<std::string> queue(client.executor(), workqueue::RateLimiter::default_controller(),
                                                  {.name = "pods"});
  const auto registration = factory.core().v1().pods().add_event_handler({
      .on_add = [&](const Pod& pod) { queue.add(pod.key()); },
      .on_update = [&](const Pod& pod) { queue.add(pod.key()); },
      .on_delete = [&](const auto& gone) { queue.add(gone.key()); },
  });
  // [end queue]
  factory.start(stop);
  const std::jthread worker([&] {
    // [begin worker]
    while (const auto key = queue.get(stop)) {
      if (sync(*key)) {
        queue.forget(*key);
      } else {
        queue.add_rate_limited(*key);
      }
      queue.done(*key);
    }
    // [end worker]
  });

  EXPECT_TRUE(eventually([&] { return done == 1; }));
  EXPECT_EQ(failures, 2) << "the first try failed";
  stopping.request_stop();
}

TEST_F(FromClientGoTest, ACandidateLeadsUntilItIsStopped) {
  std::stop_source stopping;
  const auto stop = stopping.get_token();
  std::atomic<bool> led = false;
  const auto work = [&](const rest::Client&, const std::stop_token& until) {
    led = true;
    stopping.request_stop();
    EXPECT_TRUE(eventually([&] { return until.stop_requested(); }));
  };
  const auto log_line = [](const std::string&) {};

  // [begin election]
  const auto elector = election::LeaderElector::create(
      client, {.namespace_ = "default", .name = "shop", .identity = "shop-1"},
      {.on_started_leading =
           [&](const election::LeaderGuard& guard) {
             work(guard.guarded(client), guard.stop_token());  // writes of this client end with the term
           },
       .on_stopped_leading = [&] { log_line("leads no more"); },
       .on_new_leader = [&](const std::string& who) { log_line(who + " leads"); }});
  if (!elector) return complain(elector.error());
  (*elector)->run(stop);
  // [end election]

  EXPECT_TRUE(led);
  EXPECT_FALSE((*elector)->is_leader());
}

}  // namespace
}  // namespace kubexx::guide
