#include <gtest/gtest.h>

#include <future>

#include "guide/guide_server.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/controller/writes.hpp"

namespace kubexx::guide {
namespace {

using WritingTest = GuideTest;

Result<void> make_settings(const rest::Client& client) {
  // [begin create]
  const client::Api<ConfigMap> maps(client, "default");
  ConfigMap::Draft draft;
  draft.metadata().set_name("settings");
  draft.data().set("color", "blue");
  const auto created = maps.create(draft, {.timeout = 5s});
  if (!created && !created.error().is_already_exists()) return created.error();
  // [end create]
  return {};
}

Result<void> change_settings(const client::Api<ConfigMap>& maps) {
  // [begin patch]
  const auto now = maps.get("settings");
  if (!now) return now.error();
  auto draft = now->edit();  // objects never change: this is a copy that can
  draft.data().set("color", "green");
  draft.metadata().labels().set("tier", "front");
  const auto patched = maps.patch(draft);  // sends these two fields; nothing, had they been so
  if (!patched) return patched.error();
  // [end patch]
  return {};
}

Result<void> own_settings(const client::Api<ConfigMap>& maps) {
  // [begin apply]
  ConfigMap::Draft mine;  // the fields that this program is to have, and no others
  mine.metadata().set_name("settings");
  mine.metadata().set_namespace_("default");
  mine.data().set("size", "large");
  const auto applied = maps.apply(mine, {.field_manager = "shop", .force = true});
  if (!applied) return applied.error();
  // [end apply]
  return {};
}

Result<ConfigMap> count_in_settings(const client::Api<ConfigMap>& maps) {
  // [begin conflict]
  return controller::retry_on_conflict([&]() -> Result<ConfigMap> {
    const auto now = maps.get("settings");  // anew each time
    if (!now) return now.error();
    auto draft = now->edit();
    draft.data().set("visits", std::string(now->data()["visits"]) + "|");
    return maps.update(draft);  // refused if somebody else wrote meanwhile
  });
  // [end conflict]
}

TEST_F(WritingTest, DraftsAreCreatedPatchedAndApplied) {
  const client::Api<ConfigMap> maps(client, "default");

  ASSERT_TRUE(make_settings(client));
  ASSERT_TRUE(make_settings(client)) << "that it is there is no failure";
  ASSERT_TRUE(change_settings(maps));
  ASSERT_TRUE(own_settings(maps));

  const auto now = maps.get("settings").value();
  EXPECT_EQ(now.data()["color"], "green");
  EXPECT_EQ(now.data()["size"], "large");
  EXPECT_EQ(now.metadata().labels()["tier"], "front");
}

TEST_F(WritingTest, AConflictIsTriedAgainWithTheNewState) {
  const client::Api<ConfigMap> maps(client, "default");
  ASSERT_TRUE(make_settings(client));
  const auto conflict = server.core().add_fault({.verb = "update", .times = 2, .status = 409});

  const auto counted = count_in_settings(maps);

  ASSERT_TRUE(counted) << counted.error().message();
  EXPECT_EQ(counted->data()["visits"], "|");
  EXPECT_EQ(server.requests().count("update", "configmaps"), 3U);
}

TEST_F(WritingTest, AnOperationCallsBack) {
  ASSERT_TRUE(make_settings(client));
  const client::Api<ConfigMap> maps(client, "default");
  std::promise<std::string> answer;

  // [begin async]
  maps.get_async("settings", {.timeout = 5s}).start([&](const Result<ConfigMap>& got) {
    answer.set_value(got ? std::string(got->data()["color"]) : got.error().message());
  });
  // [end async]

  EXPECT_EQ(answer.get_future().get(), "blue");
}

}  // namespace
}  // namespace kubexx::guide
