// [begin head]
#include <gtest/gtest.h>

#include <kubexx/clientset/core/v1/informers.hpp>
#include <kubexx/informer/shared_informer_factory.hpp>
#include <kubexx/testkit/client.hpp>
#include <kubexx/testkit/fault_proxy.hpp>
#include <kubexx/testkit/in_process_transport.hpp>
#include <kubexx/testkit/recording_handler.hpp>

using namespace kubexx;
using namespace std::chrono_literals;
using api::core::v1::ConfigMap;
using api::core::v1::Pod;
// [end head]

// [begin test]
TEST(PodJournalTest, ADeletionThatNobodySawIsReported) {
  apiserver::Server server;  // 127.0.0.1, a port of the kernel's
  ASSERT_TRUE(server.seed(testkit::make_pod("default/kept")));
  ASSERT_TRUE(server.seed(testkit::make_pod("default/lost")));
  informer::FactoryOptions quick;
  quick.defaults.backoff = Backoff::none();
  informer::SharedInformerFactory factory(testkit::client(server), quick);
  testkit::RecordingHandler<Pod> seen;
  const auto registration = factory.core().v1().pods().add_event_handler(seen.handler());
  factory.start();
  ASSERT_TRUE(seen.await({"add default/kept", "add default/lost"}));

  {
    const auto outage = server.interrupt_watches();  // ends watches, and answers 429 to new ones
    ASSERT_TRUE(server.remove<Pod>(meta::ObjectKey::parse("default/lost")));
    server.compact_history();  // the version that the informer has is forgotten: 410
  }  // the outage ends with its scope

  EXPECT_TRUE(seen.await({"delete default/lost (final state unknown)"}));
}
// [end test]

// [begin proxy]
TEST(PodJournalTest, ACutConnectionLosesNothing) {
  apiserver::Server server;
  testkit::FaultProxy proxy(testkit::config(server));
  informer::SharedInformerFactory factory(rest::Client::create(proxy.config()).value());
  testkit::RecordingHandler<Pod> seen;
  const auto registration = factory.core().v1().pods().add_event_handler(seen.handler());
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  proxy.cut();
  ASSERT_TRUE(server.seed(testkit::make_pod("default/web")));

  EXPECT_TRUE(seen.await({"add default/web"}));
}
// [end proxy]

// [begin clock]
TEST(ResyncTest, TenMinutesPassAtOnce) {
  const auto executor = std::make_shared<ManualExecutor>(7);  // the seed decides the order of tasks
  apiserver::Core core({.authentication = false, .seed = 7, .executor = executor});
  ASSERT_TRUE(core.seed(testkit::make_config_map("default/settings")));
  const auto transport = std::make_shared<testkit::InProcessTransport>(core, executor);
  const auto client = rest::Client::create({.host = "http://in.process"},
                                           {.transport = transport, .executor = executor, .handlers = executor});
  const auto maps = informer::new_shared_informer<ConfigMap>(*client, {.resync_period = 10min});
  int reminders = 0;
  auto registration = maps.add_event_handler({.on_update = [&](const ConfigMap&) { ++reminders; }});

  maps->start();
  executor->run_until_idle();
  ASSERT_TRUE(maps.has_synced());
  executor->advance(10min);  // returns when all that became due has run
  EXPECT_EQ(reminders, 1);

  registration.remove();
  maps->stop();
  executor->run_until_idle();
  executor->shut_down();
}
// [end clock]
