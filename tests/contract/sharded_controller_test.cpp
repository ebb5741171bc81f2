#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "contract/any_server.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/controller/sharded_controller.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::controller {
namespace {

using contract::kConfigMaps;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testkit::eventually;

/// One replica with everything a program would have, and a list of what it reconciled.
class Replica {
 public:
  Replica(const apiserver::Server& server, std::string identity)
      : client_(testkit::client(server)),
        factory_(client_),
        informer_(factory_.for_resource(kConfigMaps).value().informer()) {
    client::ApiResource resource;
    resource.resource = kConfigMaps;
    resource.kind = "ConfigMap";
    resource.namespaced = true;
    controller_ =
        std::make_unique<Controller<meta::Object>>(factory_, informer_, resource, ControllerOptions{.name = identity});
    election::ShardOptions options;
    options.group = "maps";
    options.identity = std::move(identity);
    options.lease_duration = seconds(60);  // nothing here waits for one to run out, and on a busy machine none may
    options.renew_deadline = seconds(40);
    options.retry_period = milliseconds(100);
    sharded_ = std::move(ShardedController<meta::Object>::create(*controller_, client_, options)).value();
    factory_.start();
    thread_ = std::jthread([this](const std::stop_token& stop) {
      static_cast<void>(
          sharded_->run(stop, [this](const meta::ObjectKey& key, const election::LeaderGuard& guard, std::stop_token) {
            const std::lock_guard lock(mutex_);
            if (guard.valid()) ++seen_[key.to_string()];
            return Result<Action>(Action::done());
          }));
    });
  }
  std::map<std::string, int> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    seen_.clear();
  }
  election::ShardMembership& membership() { return sharded_->membership(); }

 private:
  rest::Client client_;
  informer::DynamicSharedInformerFactory factory_;
  informer::Informer<meta::Object> informer_;
  std::unique_ptr<Controller<meta::Object>> controller_;
  std::unique_ptr<ShardedController<meta::Object>> sharded_;
  mutable std::mutex mutex_;
  std::map<std::string, int> seen_;  // guarded by mutex_
  std::jthread thread_;
};

TEST(ShardedControllerTest, EveryKeyIsReconciledByOneReplicaAndAnewByItsNextOwner) {
  apiserver::Server server;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(server.seed(testkit::make_config_map("default/m" + std::to_string(i))));
  }
  auto a = std::make_unique<Replica>(server, "a");
  ASSERT_TRUE(eventually([&] { return a->seen().size() == 100; }));
  auto b = std::make_unique<Replica>(server, "b");
  ASSERT_TRUE(eventually([&] { return !b->membership().owned().empty() && b->seen().size() > 10; }));
  const auto shared = election::ShardSet::share_of("b", {"a", "b"});
  ASSERT_TRUE(eventually([&] { return b->membership().owned() == shared; }));

  a->forget();
  b->forget();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(server.update(testkit::make_config_map("default/m" + std::to_string(i), "new")));
  }
  EXPECT_TRUE(eventually([&] { return a->seen().size() + b->seen().size() == 100; }));
  for (const auto& [key, times] : a->seen()) EXPECT_FALSE(shared.contains(key)) << key;
  for (const auto& [key, times] : b->seen()) EXPECT_TRUE(shared.contains(key)) << key;

  a->forget();
  b.reset();  // leaves: the rest hears of its keys without waiting for the lease
  EXPECT_TRUE(eventually([&] { return a->membership().owned() == election::ShardSet::all(); }));
  EXPECT_TRUE(eventually([&] {
    const auto seen = a->seen();
    for (int i = 0; i < 100; ++i) {
      const auto key = "default/m" + std::to_string(i);
      if (shared.contains(key) && seen.count(key) == 0) return false;
    }
    return true;
  }));
}

}  // namespace
}  // namespace kubexx::controller
