#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "kubexx/base/log.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kVariable = "KUBE_CACHE_MUTATION_DETECTOR";

class Lines final : public LogSink {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    std::string line = std::string(to_string(level)) + " " + std::string(message);
    for (const auto& field : fields) line += " " + std::string(field.key) + "=" + field.value;
    all.push_back(std::move(line));
  }
  std::vector<std::string> all;
};

class MutationDetectorTest : public testing::Test {
 protected:
  MutationDetectorTest() {
    unsetenv(kVariable);
    set_log_sink(log_lines);
    options.description = "configmaps";
    options.executor = executor;
    options.handlers = executor;
    options.reflector.version_check = Duration::zero();
    script->answer({config_map("a", "1", "value"), config_map("b", "2", "value")}, "5");
  }
  ~MutationDetectorTest() override {
    if (informer) informer->stop();
    executor->run_until_idle();
    set_log_sink(nullptr);
    unsetenv(kVariable);
  }
  void start() {
    informer = SharedIndexInformer::create(script, options);
    informer->start();
    executor->run_until_idle();
  }
  /// Writes over a byte of the cached object, as only a cast can, and lets the detector look.
  void spoil(const char* key) {
    const auto bytes = informer->store()->get_by_key(key).raw_bytes();
    const_cast<char&>(bytes[bytes.find("value")]) = 'V';
    executor->advance(seconds(2));
  }

  FixtureExecutor executor;
  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  std::shared_ptr<Lines> log_lines = std::make_shared<Lines>();
  InformerOptions options;
  std::shared_ptr<SharedIndexInformer> informer;
};

TEST_F(MutationDetectorTest, IsOffUnlessTheVariableOrTheOptionAsksForIt) {
  start();
  spoil("ns/a");

  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(log_lines->all, Not(Contains(HasSubstr("mutation detector"))));
}

TEST_F(MutationDetectorTest, TheVariableTurnsItOnAndTheMemoryItCostsIsLogged) {
  for (const char* on : {"true", "1"}) {
    setenv(kVariable, on, 1);
    script->answers.clear();
    script->answer({config_map("a", "1", "value")}, "5");
    log_lines->all.clear();
    start();
    EXPECT_THAT(log_lines->all,
                Contains(testing::AllOf(HasSubstr("keeps a copy of every cached object"), HasSubstr("configmaps"))));
    spoil("ns/a");
    EXPECT_THROW(static_cast<void>(informer->has_synced()), std::logic_error);
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

TEST_F(MutationDetectorTest, WithoutAFunctionOfTheUsersTheNextQuestionForSyncThrowsAndNamesTheKey) {
  options.mutation_detector = true;
  start();
  EXPECT_TRUE(informer->has_synced());
  executor->advance(seconds(5));
  EXPECT_TRUE(informer->has_synced());
  spoil("ns/b");

  try {
    static_cast<void>(informer->has_synced());
    FAIL() << "the change was not noticed";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ns/b"));
  }
  EXPECT_THAT(log_lines->all, Contains(HasSubstr("a cached object was changed informer=configmaps key=ns/b")));
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
