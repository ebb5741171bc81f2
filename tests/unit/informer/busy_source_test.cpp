/// A source that changes at random, followed by informers on one thread and on many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <map>
#include <mutex>
#include <thread>

#include "kubexx/base/random.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "unit/informer/fake_source.hpp"

namespace kubexx::informer {
namespace {

/// Checks that what is heard of each object is possible: add, updates from "from" to "to" but never back, delete.
class Transitions {
 public:
  ResourceEventHandlerFuncs<> handler() {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [this](const meta::Object& o) {
      const std::lock_guard lock(mutex_);
      auto& known = alive_[std::string(o.name())];
      if (known) problems_.push_back("added twice: " + std::string(o.name()));
      known = o;
      ++added_;
    };
    f.on_update = [this](const meta::Object& before, const meta::Object& after) {
      const std::lock_guard lock(mutex_);
      auto& known = alive_[std::string(after.name())];
      if (!known || !known.same_document(before))
        problems_.push_back("not what was heard last: " + std::string(after.name()));
      if (value_of(before) == "to" && value_of(after) == "from")
        problems_.push_back("back: " + std::string(after.name()));
      known = after;
    };
    f.on_delete = [this](const Deleted<meta::Object>& gone) {
      const std::lock_guard lock(mutex_);
      auto& known = alive_[gone.object_key().name];
      if (!known) problems_.push_back("deleted without being there: " + gone.key());
      known = {};
    };
    return f;
  }
  std::vector<std::string> problems() const {
    const std::lock_guard lock(mutex_);
    return problems_;
  }
  int added() const {
    const std::lock_guard lock(mutex_);
    return added_;
  }
  std::vector<std::string> alive() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& entry : alive_) {
      if (entry.second) names.push_back(entry.first);
    }
    return names;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, meta::Object> alive_;  // guarded by mutex_
  std::vector<std::string> problems_;          // guarded by mutex_
  int added_ = 0;                              // guarded by mutex_
};

class BusySourceTest : public testing::TestWithParam<QueueKind> {
 protected:
  InformerOptions options(const std::shared_ptr<Executor>& executor) const {
    InformerOptions o;
    o.description = "configmaps";
    o.queue = GetParam();
    o.executor = executor;
    o.handlers = executor;
    o.reflector.emplace();
    o.reflector->backoff = Backoff::none();
    o.reflector->version_check = Duration::zero();
    return o;
  }
};

// TestUpdate
TEST_P(BusySourceTest, OnlyChangesThatHappenedAreHeardAndEveryObjectIsHeardToGo) {
  constexpr int kObjects = 30;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FixtureExecutor executor(seed);
    Random random(seed);
    const auto source = std::make_shared<FakeSource>();
    const auto informer = SharedIndexInformer::create(source, options(executor));
    Transitions heard;
    const auto registration = informer->add_event_handler(heard.handler());
    informer->start();
    const auto expire = [&] {
      executor->fake_clock().advance(std::chrono::seconds(1));  // the next watch need not wait for its turn
      source->expire_watches();
    };
    // Each object goes through absent, "from", "to", gone; it may stay where it is.
    std::vector<int> stage(kObjects, 0);
    for (int left = kObjects; left > 0;) {
      const auto which = random.below(kObjects);
      const std::string name = "m" + std::to_string(which);
      if (stage[which] < 3 && random.below(3) == 0) {
        if (++stage[which] == 3) {
          source->remove(name);
          --left;
        }
      }
      if (stage[which] == 1 || stage[which] == 2) source->put(name, stage[which] == 1 ? "from" : "to");
      if (seed % 2 == 0 && random.below(40) == 0) source->mute();
      if (seed % 2 == 0 && random.below(20) == 0) expire();
      for (auto turns = random.below(8); turns > 0; --turns) executor->run_one();
    }
    expire();
    executor->run_until_idle();

    EXPECT_THAT(heard.problems(), testing::IsEmpty()) << "seed " << seed;
    EXPECT_THAT(heard.alive(), testing::IsEmpty()) << "seed " << seed;
    EXPECT_EQ(informer->store()->size(), 0U) << "seed " << seed;
    const bool muted = seed % 2 == 0;
    EXPECT_TRUE(muted || heard.added() == kObjects) << "seed " << seed;
    informer->stop();
    executor->run_until_idle();
  }
}

/// Three threads, each with objects of its own and one they share.
void hammer(FakeSource& source) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&source, thread] {
      Random random(static_cast<std::uint64_t>(thread) + 1);
      for (int i = 0; i < 100; ++i) {
        const auto which = random.below(6);
        const std::string name = which == 0 ? "shared" : std::to_string(thread) + "-" + std::to_string(which);
        if (random.below(3) == 0) {
          source.remove(name);
        } else {
          source.put(name);
        }
      }
    });
  }
}

/// Checks, and tells when the object "last" has come.
ResourceEventHandlerFuncs<> until_last(Transitions& heard, std::latch& arrived) {
  auto functions = heard.handler();
  functions.on_add = [&, add = functions.on_add](const meta::Object& o, bool initial, const EventContext& context) {
    add(o, initial, context);
    if (o.name() == "last") arrived.count_down();
  };
  return functions;
}

// TestHammerController
TEST_P(BusySourceTest, ThreadsThatChangeTheSourceNeitherRaceNorBlockAnInformer) {
  const auto source = std::make_shared<FakeSource>();
  source->put("from-the-start");
  Transitions heard;
  std::latch arrived(1);
  const auto informer = SharedIndexInformer::create(source, options(std::make_shared<ThreadExecutor>()));
  const auto registration = informer->add_event_handler(until_last(heard, arrived));
  EXPECT_FALSE(informer->has_synced());
  {
    const std::jthread runner([&](const std::stop_token& stop) { informer->run(stop); });
    hammer(*source);
    source->put("last");
    arrived.wait();
    EXPECT_TRUE(registration.wait_until_synced());  // "last" may be of the first list, and not the end of it
    EXPECT_TRUE(informer->has_synced());
  }

  std::vector<std::string> keys;
  for (const auto& name : source->names()) keys.push_back("ns/" + name);
  EXPECT_THAT(informer->store()->list_keys(), testing::UnorderedElementsAreArray(keys));
  EXPECT_THAT(heard.problems(), testing::IsEmpty());
}

TEST(BusyPlainInformerTest, ThreadsThatChangeTheSourceNeitherRaceNorBlockIt) {
  const auto source = std::make_shared<FakeSource>();
  Transitions heard;
  std::latch arrived(1);
  const auto [store, controller] =
      new_informer(source, make_handler(until_last(heard, arrived)), Strand(std::make_shared<ThreadExecutor>()));
  EXPECT_FALSE(controller->has_synced());
  {
    const std::jthread runner([&controller = controller](const std::stop_token& stop) { controller->run(stop); });
    hammer(*source);
    source->put("last");
    arrived.wait();
  }

  EXPECT_TRUE(controller->has_synced());
  EXPECT_THAT(heard.problems(), testing::IsEmpty());
  EXPECT_EQ(heard.alive(), source->names());
  EXPECT_EQ(store->size(), source->names().size());
}

INSTANTIATE_TEST_SUITE_P(BothQueues, BusySourceTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& each) { return each.param == QueueKind::Ordered ? "Ordered" : "PerKey"; });

}  // namespace
}  // namespace kubexx::informer
