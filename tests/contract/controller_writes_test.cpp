#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/any_server.hpp"
#include "kubexx/controller/finalizer.hpp"
#include "kubexx/controller/owner_reference.hpp"
#include "kubexx/controller/writes.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::controller {
namespace {

using contract::kConfigMaps;
using ::testing::HasSubstr;
using testkit::client;
using testkit::make_config_map;

const meta::GroupVersionKind kConfigMap{"", "v1", "ConfigMap"};
constexpr std::string_view kFinalizer = "kubexx.dev/test";

class ControllerWritesTest : public ::testing::Test {
 protected:
  meta::Object stored(const std::string& name) { return server.core().get(kConfigMaps, {"default", name}).value(); }
  std::size_t writes() {
    return server.requests().count("patch", "configmaps") + server.requests().count("create", "configmaps") +
           server.requests().count("update", "configmaps");
  }

  apiserver::Server server;
  client::ResourceApi api{client(server), kConfigMaps};
};

TEST_F(ControllerWritesTest, CreateOrUpdateCreatesThenPatchesThenLeavesAlone) {
  const auto put = [&](std::string_view value) {
    return create_or_update(api, kConfigMap, {"default", "a"}, [&](meta::Draft& draft) -> Result<void> {
      draft["data"]["v"].set(value);
      return {};
    });
  };
  const auto created = put("1");
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ(created->operation, Operation::Created);
  EXPECT_EQ(put("1").value().operation, Operation::None);
  EXPECT_EQ(writes(), 1U);
  EXPECT_EQ(put("2").value().operation, Operation::Updated);
  EXPECT_EQ(server.requests().count("patch", "configmaps"), 1U);
  EXPECT_EQ(stored("a")["data"]["v"].string(), "2");
}

TEST_F(ControllerWritesTest, CreateOrUpdateDoesNotOverwriteWhatChangedMeanwhile) {
  ASSERT_TRUE(server.seed(make_config_map("default/a", "1")));
  int tries = 0;
  const auto put = [&] {
    return create_or_update(api, kConfigMap, {"default", "a"}, [&](meta::Draft& draft) -> Result<void> {
      if (++tries == 1) {
        EXPECT_TRUE(server.update(make_config_map("default/a", "someone's")));
      }
      draft["data"]["v"].set(std::string(draft["data"]["v"].string()) + "+");
      return {};
    });
  };
  EXPECT_TRUE(put().error().is_conflict());
  EXPECT_EQ(stored("a")["data"]["v"].string(), "someone's");

  tries = 0;
  const auto retried = retry_on_conflict(put);
  ASSERT_TRUE(retried) << retried.error().message();
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(stored("a")["data"]["v"].string(), "someone's+");
}

TEST_F(ControllerWritesTest, CreateOrUpdateRefusesAnotherNameAndPassesErrorsOn) {
  const auto renamed = create_or_update(api, kConfigMap, {"default", "a"}, [](meta::Draft& draft) -> Result<void> {
    draft["metadata"]["name"].set("b");
    return {};
  });
  ASSERT_FALSE(renamed);
  EXPECT_THAT(renamed.error().message(), HasSubstr("default/a"));
  const auto failed = create_or_update(api, kConfigMap, {"default", "a"},
                                       [](meta::Draft&) -> Result<void> { return Error::config("cannot"); });
  EXPECT_EQ(failed.error().message(), "cannot");
  EXPECT_EQ(writes(), 0U);
}

TEST_F(ControllerWritesTest, RetryOnConflictEndsAfterItsTriesAndAtOtherErrors) {
  int calls = 0;
  ConflictRetry options;
  options.backoff.initial = std::chrono::milliseconds(1);
  options.tries = 3;
  const auto always = retry_on_conflict(
      [&]() -> Result<void> {
        ++calls;
        return Error::api(409, "Conflict", "changed");
      },
      options);
  EXPECT_TRUE(always.error().is_conflict());
  EXPECT_EQ(calls, 3);

  calls = 0;
  const auto other = retry_on_conflict([&]() -> Result<int> {
    ++calls;
    return Error::api(404, "NotFound", "gone");
  });
  EXPECT_TRUE(other.error().is_not_found());
  EXPECT_EQ(calls, 1);
}

TEST_F(ControllerWritesTest, ApplyTakesItsFieldsOverAndLeavesOthersAlone) {
  const client::WriteOptions someone{.field_manager = "someone"};
  ASSERT_TRUE(api.namespaced("default").apply(make_config_map("default/a", "theirs"), someone));
  auto draft = make_config_map("default/a", "ours").edit();
  draft["metadata"]["resourceVersion"].set("1");

  const auto applied = apply(api, draft.to_object(), "test");

  ASSERT_TRUE(applied) << applied.error().message();
  EXPECT_EQ(stored("a")["data"]["v"].string(), "ours");
}

TEST_F(ControllerWritesTest, AFinalizerIsAddedOnceAndRemovedAfterTheCleanup) {
  ASSERT_TRUE(server.seed(make_config_map("default/a")));
  int cleaned = 0;
  Result<void> cleanup_result;
  const auto run = [&] {
    return finalize(api, stored("a"), kFinalizer, [&](const meta::Object&) {
      ++cleaned;
      return cleanup_result;
    });
  };
  const auto alive = run();
  ASSERT_TRUE(alive) << alive.error().message();
  EXPECT_FALSE(alive->deleted);
  EXPECT_TRUE(has_finalizer(alive->object, kFinalizer));
  ASSERT_TRUE(run());
  EXPECT_EQ(writes(), 1U);
  EXPECT_EQ(cleaned, 0);

  ASSERT_TRUE(api.namespaced("default").remove("a"));
  cleanup_result = Error::api(500, "", "not yet");
  EXPECT_FALSE(run());
  EXPECT_TRUE(has_finalizer(stored("a"), kFinalizer));
  cleanup_result = {};
  const auto gone = run();
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_TRUE(gone->deleted);
  EXPECT_EQ(cleaned, 2);
  EXPECT_TRUE(server.core().get(kConfigMaps, {"default", "a"}).error().is_not_found());
}

TEST_F(ControllerWritesTest, AFinalizerOfSomebodyElseIsNeverLost) {
  ASSERT_TRUE(server.seed(make_config_map("default/a")));
  const auto old = stored("a");
  auto theirs = old.edit();
  ASSERT_TRUE(add_finalizer(theirs, "example.com/theirs"));
  ASSERT_TRUE(server.update(theirs.to_object()));

  EXPECT_TRUE(ensure_finalizer(api, old, kFinalizer).error().is_conflict());

  EXPECT_TRUE(has_finalizer(stored("a"), "example.com/theirs"));
  EXPECT_TRUE(ensure_finalizer(api, stored("a"), kFinalizer));
  EXPECT_TRUE(has_finalizer(stored("a"), "example.com/theirs"));
}

TEST_F(ControllerWritesTest, DroppingTheFinalizerOfAnObjectThatIsGoneIsNoError) {
  ASSERT_TRUE(server.seed(make_config_map("default/a")));
  const auto with = ensure_finalizer(api, stored("a"), kFinalizer).value();
  ASSERT_TRUE(server.core().remove(kConfigMaps, {"default", "a"}));
  EXPECT_TRUE(drop_finalizer(api, with, kFinalizer));
}

}  // namespace
}  // namespace kubexx::controller
