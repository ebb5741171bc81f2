#include "kubexx/informer/until.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/testing/client.hpp"

namespace kubexx::informer {
namespace {

using ::testing::ElementsAre;

class UntilWithSyncTest : public ::testing::Test {
 protected:
  apiserver::Server server_;
  client::ResourceApi maps_ =
      client::DynamicClient(testing::client(server_)).resource({"", "v1", "configmaps"}).namespaced("default");
};

// TestUntilWithSync
TEST_F(UntilWithSyncTest, APreconditionThatHoldsEndsItWithoutAnEvent) {
  ASSERT_TRUE(server_.seed(testing::make_config_map("default/a")));

  const auto event =
      until_with_sync(maps_, {}, [](const store::Indexer& cache) -> Result<bool> { return cache.size() == 1; },
                      {[](const meta::WatchEvent&) -> Result<bool> {
                        ADD_FAILURE() << "nothing had to be waited for";
                        return true;
                      }});

  ASSERT_TRUE(event) << event.error();
  EXPECT_FALSE(*event);
}

TEST_F(UntilWithSyncTest, TheFirstListAndWhatFollowsAreSeenInOrder) {
  ASSERT_TRUE(server_.seed(testing::make_config_map("default/a")));
  std::vector<std::string> seen;

  const auto event =
      until_with_sync(maps_, {}, {}, {[&](const meta::WatchEvent& e) -> Result<bool> {
                        seen.push_back(std::string(meta::to_string(e.type)) + " " + std::string(e.object.name()));
                        if (seen.size() == 1 && !maps_.remove("a")) return Error::config("not removed");
                        return e.type == meta::WatchEventType::Deleted;
                      }});

  ASSERT_TRUE(event) << event.error();
  ASSERT_TRUE(*event);
  EXPECT_THAT(seen, ElementsAre("ADDED a", "DELETED a"));
}

TEST_F(UntilWithSyncTest, ItEndsWithTimeoutStopAndTheErrorOfACondition) {
  const auto never = [](const meta::WatchEvent&) -> Result<bool> { return false; };
  EXPECT_TRUE(until_with_sync(maps_, {.timeout = std::chrono::milliseconds(50)}, {}, {never}).error().is_timeout());
  ASSERT_TRUE(server_.seed(testing::make_config_map("default/a")));
  std::stop_source stop;
  EXPECT_TRUE(until_with_sync(maps_, {.stop = stop.get_token()}, {}, {[&](const meta::WatchEvent&) -> Result<bool> {
                                stop.request_stop();
                                return false;
                              }})
                  .error()
                  .is_canceled());
  EXPECT_EQ(
      until_with_sync(maps_, {}, {}, {[](const meta::WatchEvent&) -> Result<bool> { return Error::config("no good"); }})
          .error()
          .message(),
      "no good");
}

}  // namespace
}  // namespace kubexx::informer
