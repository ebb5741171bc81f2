/// When an informer reads and writes the file of its cache, on a clock that the test moves.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/internal/random_token.hpp"
#include "informer/cache_identity.hpp"
#include "support/log_lines.hpp"
#include "unit/informer/shared_informer_fixture.hpp"

namespace kubexx::informer {
namespace {

using reflector::bookmark;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class CacheKeepingTest : public SharedInformerTest {
 protected:
  CacheKeepingTest() {
    options.resource = {"", "v1", "configmaps"};
    options.cache_directory = directory.string();
    options.cluster.configured = "here";
  }
  ~CacheKeepingTest() override { fs::remove_all(directory); }

  /// Lists two objects and writes them.
  void sync() {
    script->answer({config_map("a", "1"), config_map("b", "2")}, "10");
    start();
    ASSERT_TRUE(informer->has_synced());
  }
  /// The next life of the program, whose server has not answered yet.
  void restart() {
    informer->stop();
    run();
    script = std::make_shared<Script>();
    make();
  }
  /// Which file is there; 0: none. Each that is written is another.
  ino_t file() const {
    struct stat info{};
    if (!fs::exists(directory)) return 0;
    for (const auto& entry : fs::directory_iterator(directory)) stat(entry.path().c_str(), &info);
    return info.st_ino;
  }
  /// Keeps it, so that no other gets its number.
  void keep_file() {
    for (const auto& entry : fs::directory_iterator(directory)) {
      fs::create_hard_link(entry.path(), directory.string() + "-" + std::to_string(++kept));
    }
  }
  void TearDown() override {
    SharedInformerTest::TearDown();
    for (; kept > 0; --kept) fs::remove(directory.string() + "-" + std::to_string(kept));
  }
  /// The clock moves on, and handlers' tasks run too.
  void pass(Duration time) {
    executor->advance(time);
    run();
  }

  const fs::path directory = fs::temp_directory_path() / ("kubexx-keeping-" + random_token());
  int kept = 0;
};

TEST_P(CacheKeepingTest, ItIsWrittenWhenTheCacheHasSynced) {
  sync();
  EXPECT_NE(file(), 0U);
}

TEST_P(CacheKeepingTest, ItIsWrittenAtMostOnceAnInterval) {
  sync();
  const auto first = file();
  keep_file();
  send(kAdded, config_map("c", "11"));
  pass(minutes(4));
  EXPECT_EQ(file(), first);
  send(kAdded, config_map("d", "12"));
  pass(minutes(2));
  EXPECT_NE(file(), first);
}

TEST_P(CacheKeepingTest, ItIsNotWrittenWithoutAChange) {
  sync();
  const auto first = file();
  keep_file();
  pass(minutes(120));
  EXPECT_EQ(file(), first);
  informer->stop();
  run();
  EXPECT_EQ(file(), first);
}

TEST_P(CacheKeepingTest, AVersionAloneIsWrittenSeldom) {
  sync();
  const auto first = file();
  keep_file();
  for (int i = 0; i < 9; ++i) {
    script->stream().send(bookmark(std::to_string(20 + i)));
    pass(minutes(5));
    EXPECT_EQ(file(), first) << i;
  }
  pass(minutes(5));
  EXPECT_NE(file(), first);
}

TEST_P(CacheKeepingTest, AtTheEndItIsOfTheLastState) {
  sync();
  send(kAdded, config_map("c", "11"));
  run();
  restart();
  start();
  EXPECT_THAT(informer->store()->list_keys(), UnorderedElementsAre("ns/a", "ns/b", "ns/c"));
  ASSERT_EQ(script->watches.size(), 1U);
  EXPECT_EQ(script->watches[0].resource_version, "11");
}

TEST_P(CacheKeepingTest, WhatWasRestoredIsToldAndNotSynced) {
  sync();
  restart();
  Lines lines;
  const auto registration = add(lines);
  start();
  EXPECT_THAT(lines, UnorderedElementsAre("initial a@1", "initial b@2"));
  EXPECT_TRUE(informer->status().restored);
  EXPECT_TRUE(informer->status().stale);
  EXPECT_FALSE(informer->status().synced);
  EXPECT_FALSE(informer->status().whole);
  EXPECT_FALSE(registration.has_synced());
  EXPECT_THAT(script->lists, IsEmpty());

  script->stream().send(bookmark("15"));
  run();
  EXPECT_FALSE(informer->status().restored);
  EXPECT_FALSE(informer->status().stale);
  EXPECT_TRUE(informer->status().synced);
  EXPECT_TRUE(registration.has_synced());
  EXPECT_EQ(lines.size(), 2U);
}

TEST_P(CacheKeepingTest, AHandlerThatComesLaterHearsOfWhatWasRestored) {
  sync();
  restart();
  start();
  Lines lines;
  const auto registration = add(lines);
  run();
  EXPECT_THAT(lines, UnorderedElementsAre("initial a@1", "initial b@2"));
  EXPECT_FALSE(registration.has_synced());
}

TEST_P(CacheKeepingTest, AListThatFollowsTellsWhatChanged) {
  sync();
  restart();
  Lines lines;
  const auto registration = add(lines);
  script->refusals.push_back(Error::api(410, "Expired", "too old"));
  script->answer({config_map("a", "1"), config_map("b", "17")}, "20");
  start();
  EXPECT_THAT(lines, UnorderedElementsAre("initial a@1", "initial b@2", "update b@2 b@17 initial"));
  EXPECT_TRUE(informer->status().synced);
  EXPECT_TRUE(registration.has_synced());
}

TEST_P(CacheKeepingTest, AStateThatWasConfirmedAsItIsIsNotWrittenAgain) {
  sync();
  informer->stop();
  run();
  const auto first = file();
  keep_file();
  restart();
  script->current_version = "10";
  start();
  ASSERT_TRUE(informer->has_synced());
  pass(minutes(30));
  informer->stop();
  run();
  EXPECT_EQ(file(), first);
}

TEST_P(CacheKeepingTest, WhatWasNotConfirmedIsNotWritten) {
  sync();
  restart();
  const auto first = file();
  keep_file();
  start();
  pass(minutes(30));
  informer->stop();
  run();
  EXPECT_EQ(file(), first);
}

TEST_P(CacheKeepingTest, AHistoryThatTheServerHasNoMoreIsReplacedAtOnce) {
  sync();
  const auto first = file();
  keep_file();
  options.reflector->version_check = minutes(1);
  restart();
  script->current_version = "5";
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_THAT(informer->store()->list_keys(), UnorderedElementsAre("ns/a"));
  EXPECT_NE(file(), first);
  restart();
  start();
  EXPECT_EQ(script->watches.at(0).resource_version, "5");
}

TEST_P(CacheKeepingTest, FilesOfOtherScopesGoWithTheHistoryThatTheyAreOf) {
  sync();
  restart();
  const auto other_scope = directory / "configmaps-0123456789abcdef.kubexx-cache";
  const auto other_resource = directory / "configmaps_more-0123456789abcdef.kubexx-cache";
  for (const auto& each : {other_scope, other_resource}) std::ofstream(each) << "of another informer";
  script->current_version = "5";
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_FALSE(fs::exists(other_scope));
  EXPECT_TRUE(fs::exists(other_resource));
  fs::remove(other_resource);
  restart();
  start();
  EXPECT_EQ(script->watches.at(0).resource_version, "5");
}

TEST_P(CacheKeepingTest, ObjectsThatSomebodyChangedAreNotWritten) {
  options.mutation_detector = true;
  sync();
  const auto first = file();
  keep_file();
  send(kAdded, config_map("c", "11"));
  run();
  const auto changed = informer->store()->find("ns/c");
  const auto bytes = changed.raw_bytes();
  auto* at = const_cast<char*>(bytes.data() + bytes.size() - 2);
  const char before = std::exchange(*at, static_cast<char>(*at ^ 1));
  pass(minutes(10));
  EXPECT_FALSE(informer->status().mutated.empty());
  EXPECT_EQ(file(), first);
  *at = before;
}

TEST_P(CacheKeepingTest, ASourceOfAnUnknownClusterHasNoFile) {
  const LogLines log;
  options.cluster = {};
  sync();
  informer->stop();
  run();
  EXPECT_EQ(file(), 0U);
  EXPECT_THAT(testing::PrintToString(log.all()), HasSubstr("not known which cluster"));
}

TEST_P(CacheKeepingTest, AFileNameIsSafeWhateverTheResource) {
  InformerOptions of = options;
  std::set<std::string> names;
  for (const char* resource : {"../../etc/passwd", "/", ".", "..", "a b", "CON", "pods", "Pods",
                               "p\xc3\xb6"
                               "ds"}) {
    of.resource.resource = resource;
    const auto name = cache_identity(of, {}).value().file;
    EXPECT_THAT(name, Not(HasSubstr("/")));
    EXPECT_NE(name.front(), '.');
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  of.resource.resource = std::string(10'000, 'a');
  EXPECT_LT(cache_identity(of, {}).value().file.size(), 150U);
}

TEST_P(CacheKeepingTest, WhatSeparatesIdentitiesCannotBeWrittenIntoOne) {
  InformerOptions one = options;
  one.cache_tag = "a\nschema b";
  InformerOptions other = options;
  other.cache_tag = "a\\nschema b";
  EXPECT_NE(cache_identity(one, {}).value().text, cache_identity(other, {}).value().text);
  EXPECT_THAT(cache_identity(one, {}).value().text, Not(HasSubstr("\nschema b")));
}

INSTANTIATE_TEST_SUITE_P(Queues, CacheKeepingTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& queue) { return queue.param == QueueKind::Ordered ? "ordered" : "per_key"; });

}  // namespace
}  // namespace kubexx::informer
