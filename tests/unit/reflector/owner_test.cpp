#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/reflector_fixture.hpp"

/// What a reflector asks and tells whoever runs it.
namespace kubexx::reflector {
namespace {

using testing::ElementsAre;

class ReflectorOwnerTest : public ReflectorTest {
 protected:
  struct Listening final : Owner {
    meta::Object prefer_known(meta::Object fresh) override {
      asked.emplace_back(fresh.name());
      return fresh.same_document(known) || known.name() != fresh.name() ? fresh : known;
    }
    void on_change() override {
      ++changes;
      if (!reflector || !*reflector) return;
      const auto state = (*reflector)->status().state;
      if (states.empty() || states.back() != state) states.push_back(state);
    }
    const std::shared_ptr<Reflector>* reflector = nullptr;
    meta::Object known;
    std::vector<std::string> asked;
    std::vector<ReflectorState> states;
    int changes = 0;
  };
  ReflectorOptions owned() {
    owner->reflector = &reflector;
    ReflectorOptions options;
    options.owner = owner;
    return options;
  }
  std::shared_ptr<Listening> owner = std::make_shared<Listening>();
};

TEST_F(ReflectorOwnerTest, TheOwnerIsToldOfEveryStateAndError) {
  using enum ReflectorState;
  script->answer({}, "1");
  start(owned());
  script->stream().send(status_event(410, "Expired", "too old"));
  run();
  EXPECT_EQ(reflector->status().last_error->code(), 410);
  script->answer({}, "2");
  executor->advance(std::chrono::seconds(2));
  reflector->stop();
  run();

  EXPECT_THAT(owner->states, ElementsAre(Listing, Opening, Watching, BackingOff, Listing, Opening, Watching, Stopped));
}

TEST_F(ReflectorOwnerTest, EventsChangeTheStatusWithoutTellingTheOwner) {
  script->answer({}, "1");
  start(owned());
  const auto before = owner->changes;

  for (int i = 2; i < 50; ++i) send(meta::WatchEventType::Modified, config_map("a", std::to_string(i)));
  script->stream().send(bookmark("60"));
  script->stream().receive(7);
  run();

  EXPECT_EQ(owner->changes, before);
  EXPECT_EQ(reflector->status().events, 49U);
  EXPECT_EQ(reflector->status().last_sync_resource_version, "60");
  EXPECT_EQ(reflector->status().last_activity, executor->clock().now());
}

TEST_F(ReflectorOwnerTest, WhatTheOwnerKnowsStandsForTheSameObjectOfAListOrWatchList) {
  owner->known = config_map("a", "1");
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  start(owned());
  EXPECT_THAT(owner->asked, ElementsAre("a", "b"));

  script->watch_list = true;
  reflector->relist();
  run();
  send(meta::WatchEventType::Added, config_map("c", "3"));
  EXPECT_THAT(owner->asked, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace kubexx::reflector
