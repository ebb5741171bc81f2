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
using testkit::make_config_map;

const meta::GroupVersionKind kConfigMap{"", "v1", "ConfigMap"};
constexpr std::string_view kFinalizer = "kubexx.dev/test";

class ControllerWritesTest : public contract::AnyServerTest {
 protected:
  client::ResourceApi maps() const { return api(kConfigMaps); }
  meta::ObjectKey a() const { return {namespace_(), "a"}; }
  meta::Object stored(const std::string& name) const { return maps().get(name).value(); }
};
INSTANTIATE_TEST_SUITE_P(AnyServer, ControllerWritesTest, contract::kAnyServer, contract::server_name);

TEST_P(ControllerWritesTest, CreateOrUpdateCreatesThenPatchesThenLeavesAlone) {
  const auto set = [&](std::string_view value) {
    return create_or_update(maps(), kConfigMap, a(), [&](meta::Draft& draft) -> Result<void> {
      draft["data"]["v"].set(value);
      return {};
    });
  };
  const auto created = set("1");
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ(created->operation, Operation::Created);
  EXPECT_EQ(set("1").value().operation, Operation::None);
  EXPECT_EQ(stored("a").resource_version(), created->object.resource_version());
  EXPECT_EQ(set("2").value().operation, Operation::Updated);
  EXPECT_EQ(stored("a")["data"]["v"].string(), "2");
}

TEST_P(ControllerWritesTest, CreateOrUpdateDoesNotOverwriteWhatChangedMeanwhile) {
  put("a", "1");
  int tries = 0;
  int others = 0;
  const auto append = [&] {
    return create_or_update(maps(), kConfigMap, a(), [&](meta::Draft& draft) -> Result<void> {
      if (++tries == 1) put("a", "someone's " + std::to_string(++others));
      draft["data"]["v"].set(std::string(draft["data"]["v"].string()) + "+");
      return {};
    });
  };
  EXPECT_TRUE(append().error().is_conflict());
  EXPECT_EQ(stored("a")["data"]["v"].string(), "someone's 1");

  tries = 0;
  const auto retried = retry_on_conflict(append);
  ASSERT_TRUE(retried) << retried.error().message();
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(stored("a")["data"]["v"].string(), "someone's 2+");
}

TEST_P(ControllerWritesTest, CreateOrUpdateRefusesAnotherNameAndPassesErrorsOn) {
  const auto renamed = create_or_update(maps(), kConfigMap, a(), [](meta::Draft& draft) -> Result<void> {
    draft["metadata"]["name"].set("b");
    return {};
  });
  ASSERT_FALSE(renamed);
  EXPECT_THAT(renamed.error().message(), HasSubstr(key("a")));
  const auto failed =
      create_or_update(maps(), kConfigMap, a(), [](meta::Draft&) -> Result<void> { return Error::config("cannot"); });
  EXPECT_EQ(failed.error().message(), "cannot");
  EXPECT_TRUE(maps().get("a").error().is_not_found());
}

TEST(CreateOrUpdateTest, AnUpdateIsOnePatchAndNothingToDoIsNoWrite) {
  apiserver::Server server;
  const client::ResourceApi maps(testkit::client(server), kConfigMaps);
  const auto set = [&](std::string_view value) {
    return create_or_update(maps, kConfigMap, {"default", "a"}, [&](meta::Draft& draft) -> Result<void> {
      draft["data"]["v"].set(value);
      return {};
    });
  };
  for (const auto* value : {"1", "1", "2", "2"}) ASSERT_TRUE(set(value));

  EXPECT_EQ(server.requests().count("create", "configmaps"), 1U);
  EXPECT_EQ(server.requests().count("patch", "configmaps"), 1U);
  EXPECT_EQ(server.requests().count("update", "configmaps"), 0U);
}

TEST(ConflictRetryTest, RetryOnConflictEndsAfterItsTriesAndAtOtherErrors) {
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

TEST_P(ControllerWritesTest, ApplyTakesItsFieldsOverAndLeavesOthersAlone) {
  const client::WriteOptions someone{.field_manager = "someone"};
  ASSERT_TRUE(maps().apply(make_config_map(key("a"), "theirs"), someone));
  auto draft = make_config_map(key("a"), "ours").edit();
  draft["metadata"]["resourceVersion"].set("1");

  const auto applied = apply(maps(), draft.to_object(), "test");

  ASSERT_TRUE(applied) << applied.error().message();
  EXPECT_EQ(stored("a")["data"]["v"].string(), "ours");
}

TEST_P(ControllerWritesTest, AFinalizerIsAddedOnceAndRemovedAfterTheCleanup) {
  put("a");
  int cleaned = 0;
  Result<void> cleanup_result;
  const auto run = [&] {
    return finalize(maps(), stored("a"), kFinalizer, [&](const meta::Object&) {
      ++cleaned;
      return cleanup_result;
    });
  };
  const auto alive = run();
  ASSERT_TRUE(alive) << alive.error().message();
  EXPECT_FALSE(alive->deleted);
  EXPECT_TRUE(has_finalizer(alive->object, kFinalizer));
  ASSERT_TRUE(run());
  EXPECT_EQ(stored("a").resource_version(), alive->object.resource_version());
  EXPECT_EQ(cleaned, 0);

  ASSERT_TRUE(maps().remove("a"));
  cleanup_result = Error::api(500, "", "not yet");
  EXPECT_FALSE(run());
  EXPECT_TRUE(has_finalizer(stored("a"), kFinalizer));
  cleanup_result = {};
  const auto gone = run();
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_TRUE(gone->deleted);
  EXPECT_EQ(cleaned, 2);
  EXPECT_TRUE(maps().get("a").error().is_not_found());
}

TEST_P(ControllerWritesTest, AFinalizerOfSomebodyElseIsNeverLost) {
  put("a");
  const auto old = stored("a");
  auto theirs = old.edit();
  ASSERT_TRUE(add_finalizer(theirs, "example.com/theirs"));
  ASSERT_TRUE(maps().update(theirs.to_object()));

  EXPECT_TRUE(ensure_finalizer(maps(), old, kFinalizer).error().is_conflict());

  EXPECT_TRUE(has_finalizer(stored("a"), "example.com/theirs"));
  EXPECT_TRUE(ensure_finalizer(maps(), stored("a"), kFinalizer));
  EXPECT_TRUE(has_finalizer(stored("a"), "example.com/theirs"));
}

TEST_P(ControllerWritesTest, DroppingTheFinalizerOfAnObjectThatIsGoneIsNoError) {
  put("a");
  const auto with = ensure_finalizer(maps(), stored("a"), kFinalizer).value();
  ASSERT_TRUE(maps().remove("a"));
  ASSERT_TRUE(maps().patch("a", client::PatchType::Merge, R"({"metadata":{"finalizers":null}})"));
  EXPECT_TRUE(drop_finalizer(maps(), with, kFinalizer));
}

}  // namespace
}  // namespace kubexx::controller
