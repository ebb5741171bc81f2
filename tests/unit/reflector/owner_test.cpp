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
    meta::Object find_known(const meta::ItemIdentity& identity) const override {
      return known && known.name() == identity.name ? known : meta::Object();
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

/// A source that asks, as those do that read bytes, and says whether it was heard.
class AskingSource final : public ListerWatcher {
 public:
  std::unique_ptr<meta::Call> list(const meta::ListOptions& options, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    const bool may_ask = sink->has_known();
    const bool found = may_ask && sink->find_known({.name = "a"});
    asked.push_back("'" + options.resource_version + (found ? "' known" : may_ask ? "' unknown" : "' not asked"));
    strand.post([sink = std::move(sink), version = version] {
      sink->on_open();
      meta::ListMeta end;
      end.resource_version = version;
      sink->on_end(std::move(end));
    });
    return std::make_unique<meta::Call>();
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions&, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    watching = sink;
    strand.post([sink = std::move(sink)] { sink->on_open(); });
    return std::make_unique<meta::Call>();
  }
  std::string version = "5";
  std::vector<std::string> asked;
  std::shared_ptr<meta::StreamSink> watching;
};

class KnownObjectsTest : public ReflectorOwnerTest {
 protected:
  KnownObjectsTest() {
    owner->known = config_map("a", "1");
    auto options = owned();
    options.watch_list = false;
    options.verify_every = std::chrono::minutes(1);
    options.version_check = Duration::zero();
    reflector = Reflector::create(source, sink, Strand(executor), options);
    reflector->start();
    run();
  }
  /// The watch cannot go on: everything is listed again.
  void expire() {
    source->watching->on_event(status_event(410, "Expired", "too old"));
    run();
    executor->advance(std::chrono::seconds(5));
  }
  std::shared_ptr<AskingSource> source = std::make_shared<AskingSource>();
};

TEST_F(KnownObjectsTest, OnlyAListThatIsNotOlderThanWhatIsKnownDoesWithoutReading) {
  EXPECT_THAT(source->asked, ElementsAre("'0' not asked"));  // the first one
  expire();
  EXPECT_EQ(source->asked.back(), "'5' known");
  executor->advance(std::chrono::minutes(2));
  EXPECT_EQ(source->asked.back(), "'5' not asked");  // verifies
}

TEST_F(KnownObjectsTest, WhoAsksForAListGetsEverythingRead) {
  reflector->relist();
  run();
  EXPECT_EQ(source->asked.back(), "'5' not asked");
  expire();
  EXPECT_EQ(source->asked.back(), "'5' known");
}

TEST_F(KnownObjectsTest, AnAnswerThatIsOlderIsReadAgainWithoutThem) {
  source->version = "3";
  expire();
  EXPECT_THAT(source->asked, ElementsAre("'0' not asked", "'5' known", "'' not asked"));
  EXPECT_EQ(reflector->status().last_sync_resource_version, "3");
}

}  // namespace
}  // namespace kubexx::reflector
