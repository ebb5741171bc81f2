#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "support/log_lines.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kVariable = "KUBE_CACHE_MUTATION_DETECTOR";

class MutationDetectorTest : public testing::Test {
 protected:
  MutationDetectorTest() {
    unsetenv(kVariable);
    options.description = "configmaps";
    options.executor = executor;
    options.handlers = executor;
    options.reflector.emplace();
    options.reflector->version_check = Duration::zero();
    script->answer({config_map("a", "1", "value"), config_map("b", "2", "value")}, "5");
  }
  ~MutationDetectorTest() override {
    if (informer) informer->stop();
    executor->run_until_idle();
    unsetenv(kVariable);
  }
  void start() {
    informer = SharedIndexInformer::create(script, options);
    informer->start();
    executor->run_until_idle();
  }
  /// Writes over a byte of the cached object, as only a cast can, and lets the detector look.
  void spoil(const char* key) {
    const auto object = informer->store()->find(key);
    const auto bytes = object.raw_bytes();
    const_cast<char&>(bytes[bytes.find("value")]) = 'V';
    executor->advance(seconds(2));
  }

  LogLines log_lines;
  FixtureExecutor executor;
  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  InformerOptions options;
  std::shared_ptr<SharedIndexInformer> informer;
};

TEST_F(MutationDetectorTest, IsOffUnlessTheVariableOrTheOptionAsksForIt) {
  start();
  spoil("ns/a");

  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(log_lines.all(), Not(Contains(HasSubstr("mutation detector"))));
}

TEST_F(MutationDetectorTest, TheVariableTurnsItOnAndTheMemoryItCostsIsLogged) {
  for (const char* on : {"true", "1"}) {
    setenv(kVariable, on, 1);
    script->answers.clear();
    script->answer({config_map("a", "1", "value")}, "5");
    log_lines.clear();
    start();
    EXPECT_THAT(log_lines.all(),
                Contains(testing::AllOf(HasSubstr("keeps a copy of every cached object"), HasSubstr("configmaps"))));
    spoil("ns/a");
    EXPECT_THAT(informer->status().mutated, testing::ElementsAre("ns/a"));
  }
}

TEST_F(MutationDetectorTest, OtherValuesOfTheVariableLeaveItOffAndTheOptionWinsOverTheVariable) {
  setenv(kVariable, "false", 1);
  start();
  spoil("ns/a");
  EXPECT_TRUE(informer->has_synced());

  setenv(kVariable, "true", 1);
  options.mutation_detector = false;
  script->answer({config_map("a", "1", "value")}, "5");
  start();
  spoil("ns/a");
  EXPECT_TRUE(informer->has_synced());
}

TEST_F(MutationDetectorTest, StatusErrorSinkAndFunctionNameTheKeyAndTheQuestionForSyncIsStillAnswered) {
  std::vector<std::string> told;
  options.mutation_detector = true;
  options.on_mutation = [&](const std::string& key) { told.push_back(key); };
  start();
  executor->advance(seconds(5));
  EXPECT_THAT(informer->status().mutated, testing::IsEmpty());
  spoil("ns/b");

  EXPECT_THAT(told, testing::ElementsAre("ns/b"));
  EXPECT_THAT(informer->status().mutated, testing::ElementsAre("ns/b"));
  EXPECT_THAT(log_lines.all(),
              Contains(testing::AllOf(HasSubstr("the cached object ns/b was changed"), HasSubstr("configmaps"))));
  static_assert(noexcept(informer->has_synced()));
  EXPECT_TRUE(informer->has_synced());
}

TEST_F(MutationDetectorTest, AnUpdateOrADeletionByTheServerIsNoMutation) {
  options.mutation_detector = true;
  start();
  script->stream().send({meta::WatchEventType::Modified, config_map("a", "6", "changed")});
  script->stream().send({meta::WatchEventType::Deleted, config_map("b", "7")});
  executor->advance(seconds(3));

  EXPECT_TRUE(informer->has_synced());
}

}  // namespace
}  // namespace kubexx::informer
