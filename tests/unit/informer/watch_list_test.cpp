#include "unit/informer/shared_informer_fixture.hpp"

/// Informers whose first state comes by a WatchList, and by a list where the source has none.
namespace kubexx::informer {
namespace {

class InformerWatchListTest : public SharedInformerTest {};

// TestReflectorRespectStoreTransformer: there is no second store to transform for
TEST_P(InformerWatchListTest, EachObjectOfAWatchListIsTransformedOnce) {
  int calls = 0;
  options.transform = [&](meta::Object object) -> Result<meta::Object> {
    ++calls;
    return config_map("t-" + std::string(object.name()), std::string(object.resource_version()));
  };
  script->watch_list = true;
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kAdded, config_map("a", "1"));
  send(kAdded, config_map("b", "2"));
  send(kModified, config_map("a", "3"));
  script->stream().send(reflector::bookmark("4", true));
  run();
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(lines, UnorderedElementsAre("initial t-a@3", "initial t-b@2"));

  send(kModified, config_map("b", "5"));
  run();
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(informer->indexer()->list_keys(), UnorderedElementsAre("ns/t-a", "ns/t-b"));
}

// TestUnSupportWatchListSemantics
TEST_P(InformerWatchListTest, WithAndWithoutWatchListsHandlersHearTheSame) {
  for (const bool supported : {true, false}) {
    script = std::make_shared<Script>();
    script->watch_list = supported;
    script->answer({config_map("a", "1")}, "4");
    informer = SharedIndexInformer::create(script, options);
    Lines lines;
    const auto registration = add(lines);
    start();
    if (supported) {
      send(kAdded, config_map("a", "1"));
      script->stream().send(reflector::bookmark("4", true));
    }
    run();
    send(kAdded, config_map("b", "5"));
    run();
    send(kModified, config_map("a", "6"));
    run();
    send(kDeleted, config_map("b", "7"));
    run();

    EXPECT_THAT(lines, ElementsAre("initial a@1", "add b@5", "update a@1 a@6 watch", "delete ns/b b@7"));
    EXPECT_EQ(script->lists.size(), supported ? 0U : 1U);
    EXPECT_EQ(script->watches.at(0).send_initial_events.value_or(false), supported);
    informer->stop();
    run();
  }
}

INSTANTIATE_TEST_SUITE_P(BothQueues, InformerWatchListTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey));

}  // namespace
}  // namespace kubexx::informer
