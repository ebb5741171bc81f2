#include "unit/informer/shared_informer_fixture.hpp"

/// InformerOptions::admit: objects that nobody wants are not there, whatever brings them.
namespace kubexx::informer {
namespace {

class AdmitTest : public SharedInformerTest {
 protected:
  AdmitTest() {
    options.admit = [this](const meta::Object& object) {
      ++asked;
      return object["data"]["v"].string() != "unwanted";
    };
  }
  int asked = 0;
};

TEST_P(AdmitTest, WhatIsRefusedIsNeitherCachedNorAnnounced) {
  script->answer({config_map("a", "1"), config_map("b", "2", "unwanted")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kAdded, config_map("c", "6", "unwanted"));
  send(kModified, config_map("c", "7", "unwanted"));
  send(kDeleted, config_map("c", "8", "unwanted"));
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@1"));
  EXPECT_THAT(informer->store()->list_keys(), ElementsAre("ns/a"));
  EXPECT_EQ(asked, 4);  // a deleted object is not asked about
}

TEST_P(AdmitTest, AnUpdateThatStartsOrStopsToPassIsAnAddOrADelete) {
  script->answer({config_map("a", "1"), config_map("b", "2", "unwanted")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kModified, config_map("a", "6", "unwanted"));
  run();
  send(kModified, config_map("b", "7"));
  run();
  send(kModified, config_map("a", "8"));
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@1", "delete ns/a a@6", "add b@7", "add a@8"));
}

TEST_P(AdmitTest, RefusedEventsMoveTheVersionThatIsWaitedFor) {
  script->answer({config_map("a", "1")}, "5");
  start();
  send(kAdded, config_map("b", "6", "unwanted"));
  run();
  EXPECT_TRUE(informer->wait_until("6", {.timeout = Duration::zero()}));
  EXPECT_FALSE(informer->wait_until("7", {.timeout = Duration::zero()}));
}

TEST_P(AdmitTest, AWatchListLeavesThemOutAndCountsThemAsProgress) {
  options.reflector->watch_list_progress = seconds(30);
  script->watch_list = true;
  start();
  for (int i = 1; i <= 10; ++i) {
    send(kAdded, config_map("x" + std::to_string(i), std::to_string(i), "unwanted"));
    run();
    executor->advance(seconds(20));
  }
  send(kAdded, config_map("a", "11"));
  send(kModified, config_map("a", "12", "unwanted"));
  send(kAdded, config_map("b", "13"));
  script->stream().send(reflector::bookmark("14", true));
  run();

  EXPECT_TRUE(informer->has_synced());
  EXPECT_EQ(script->lists.size(), 0U);
  EXPECT_THAT(informer->store()->list_keys(), ElementsAre("ns/b"));
}

TEST_P(AdmitTest, TheTransformSeesWhatIsAdmittedOnly) {
  std::vector<std::string> seen;
  options.transform = [&](meta::Object object) -> Result<meta::Object> {
    seen.emplace_back(object["data"]["v"].string());
    return object;
  };
  script->answer({config_map("a", "1", "one"), config_map("b", "2", "unwanted")}, "5");
  start();
  send(kModified, config_map("a", "6", "unwanted"));
  send(kModified, config_map("a", "7", "two"));
  run();

  EXPECT_THAT(seen, ElementsAre("one", "two"));
}

TEST_P(AdmitTest, AFilterThatThrowsWantsTheObject) {
  options.admit = [](const meta::Object&) -> bool { throw std::runtime_error("on purpose"); };
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_THAT(informer->store()->list_keys(), ElementsAre("ns/a"));
}

TEST_P(AdmitTest, ARelistAsksAgainAndRemovesWhatIsNotWantedAnyMore) {
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  lines.clear();
  script->answer({config_map("a", "1"), config_map("b", "7", "unwanted")}, "8");
  informer->relist();
  run();

  EXPECT_THAT(lines, ElementsAre("delete ns/b b@2 unknown"));
}

INSTANTIATE_TEST_SUITE_P(BothQueues, AdmitTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& each) { return each.param == QueueKind::Ordered ? "Ordered" : "PerKey"; });

}  // namespace
}  // namespace kubexx::informer
