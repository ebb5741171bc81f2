#include "kubexx/informer/until.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/any_server.hpp"

namespace kubexx::informer {
namespace {

using ::testing::ElementsAre;

class UntilWithSyncTest : public contract::AnyServerTest {
 protected:
  client::ResourceApi maps() const { return api(contract::kConfigMaps); }
  // A whole cluster puts a ConfigMap of its own into every namespace.
  const std::string ours_ = "metadata.name!=kube-root-ca.crt";
};
INSTANTIATE_TEST_SUITE_P(AnyServer, UntilWithSyncTest, contract::kAnyServer, contract::server_name);

// TestUntilWithSync
TEST_P(UntilWithSyncTest, APreconditionThatHoldsEndsItWithoutAnEvent) {
  put("a");

  const auto event = until_with_sync(maps(), {.field_selector = ours_},
                                     [](const store::Indexer& cache) -> Result<bool> { return cache.size() == 1; },
                                     {[](const meta::WatchEvent&) -> Result<bool> {
                                       ADD_FAILURE() << "nothing had to be waited for";
                                       return true;
                                     }});

  ASSERT_TRUE(event) << event.error();
  EXPECT_FALSE(*event);
}

TEST_P(UntilWithSyncTest, TheFirstListAndWhatFollowsAreSeenInOrder) {
  put("a");
  std::vector<std::string> seen;

  const auto event =
      until_with_sync(maps(), {.field_selector = ours_}, {}, {[&](const meta::WatchEvent& e) -> Result<bool> {
                        seen.push_back(std::string(meta::to_string(e.type)) + " " + std::string(e.object.name()));
                        if (seen.size() == 1 && !maps().remove("a")) return Error::config("not removed");
                        return e.type == meta::WatchEventType::Deleted;
                      }});

  ASSERT_TRUE(event) << event.error();
  ASSERT_TRUE(*event);
  EXPECT_THAT(seen, ElementsAre("ADDED a", "DELETED a"));
}

TEST_P(UntilWithSyncTest, ATimeoutBeyondAllTimeIsNone) {
  put("a");

  const auto event = until_with_sync(maps(), {.field_selector = ours_, .timeout = Duration::max()}, {},
                                     {[](const meta::WatchEvent&) -> Result<bool> { return true; }});

  ASSERT_TRUE(event) << event.error();
  EXPECT_TRUE(*event);
}

TEST_P(UntilWithSyncTest, ItEndsWithTimeoutStopAndTheErrorOfACondition) {
  const auto never = [](const meta::WatchEvent&) -> Result<bool> { return false; };
  EXPECT_TRUE(until_with_sync(maps(), {.field_selector = ours_, .timeout = std::chrono::milliseconds(50)}, {}, {never})
                  .error()
                  .is_timeout());
  put("a");
  std::stop_source stop;
  EXPECT_TRUE(until_with_sync(maps(), {.field_selector = ours_, .stop = stop.get_token()}, {},
                              {[&](const meta::WatchEvent&) -> Result<bool> {
                                stop.request_stop();
                                return false;
                              }})
                  .error()
                  .is_canceled());
  EXPECT_EQ(until_with_sync(maps(), {.field_selector = ours_}, {},
                            {[](const meta::WatchEvent&) -> Result<bool> { return Error::config("no good"); }})
                .error()
                .message(),
            "no good");
}

}  // namespace
}  // namespace kubexx::informer
