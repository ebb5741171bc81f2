/// Cache files that are not what they should be, and places where none can be: a log line and a list.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/internal/descriptor.hpp"
#include "contract/cache_file_fixture.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::informer {
namespace {

using std::chrono::milliseconds;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class CacheFileRefusedTest : public CacheFileContractTest {
 protected:
  /// A program that finds a file it must not use, which it says, and lists.
  void expect_plain_list(const FactoryOptions& how, const std::string& line) {
    log_.clear();
    Program again(server_, how);
    ASSERT_TRUE(again.synced());
    EXPECT_EQ(lists(), 1U);
    EXPECT_THAT(again.keys(), UnorderedElementsAre("default/a"));
    EXPECT_TRUE(again.seen.await({"add default/a"}));
    EXPECT_TRUE(logged(line)) << line << ::testing::PrintToString(log_.all());
    EXPECT_FALSE(logged("restored the cache"));
    again.end();
    server_.requests().clear();
  }
  /// The file that such a program writes is used again.
  void expect_restart(const FactoryOptions& how) {
    log_.clear();
    Program again(server_, how);
    ASSERT_TRUE(again.synced());
    EXPECT_EQ(lists(), 0U);
    EXPECT_TRUE(logged("restored the cache"));
    again.end();
    server_.requests().clear();
  }
  void SetUp() override { seed("default/a", "1"); }
};

TEST_P(CacheFileRefusedTest, AFileThatWasCutOrChanged) {
  run_once();
  fs::resize_file(file(), fs::file_size(file()) / 2);
  expect_plain_list(options(), "the file is damaged");
  expect_restart(options());

  std::fstream(file(), std::ios::in | std::ios::out | std::ios::binary).seekp(200).put('\xff').put('\xff');
  expect_plain_list(options(), "the cache file is not used");
  expect_restart(options());

  std::ofstream(file(), std::ios::trunc)
      << "no cache at all, but long enough to be looked at as if it were one, and then more";
  expect_plain_list(options(), "no cache file of this machine");
  expect_restart(options());

  std::ofstream(file(), std::ios::trunc).flush();
  expect_plain_list(options(), "too short");
  expect_restart(options());
}

TEST_P(CacheFileRefusedTest, AFileOfAnotherTag) {
  auto how = options();
  how.defaults.cache_tag = "1";
  run_once(how);
  how.defaults.cache_tag = "2";
  expect_plain_list(how, "another tag");
  expect_restart(how);
}

TEST_P(CacheFileRefusedTest, AFileOfAnotherCluster) {
  auto how = options();
  how.defaults.cluster.configured = "https://here.example.com and its CA";
  run_once(how);
  how.defaults.cluster.configured = "https://here.example.com and another CA";
  expect_plain_list(how, "another cluster");
  run_once();
  expect_plain_list(how, "another cluster");
}

TEST_P(CacheFileRefusedTest, AnotherProjectionOrScopeHasAnotherFile) {
  run_once();
  const auto plain = [&](const FactoryOptions& how) {
    Program again(server_, how);
    ASSERT_TRUE(again.synced());
    EXPECT_EQ(lists(), 1U);
    again.end();
    server_.requests().clear();
  };
  auto how = options();
  how.defaults.scope.projection = meta::Projection::full();
  plain(how);
  how = options();
  how.defaults.scope.metadata_only = true;
  plain(how);
  how = options();
  how.defaults.scope.label_selector = meta::LabelSelector::equals("app", "web");
  plain(how);
  how = options();
  how.defaults.scope.namespaces = {"default"};
  plain(how);
  EXPECT_EQ(files().size(), 5U);
  expect_restart(options());
}

/// The same address and CA, and a cluster that calls itself otherwise.
TEST_P(CacheFileRefusedTest, AClusterThatWasMadeAnewIsListedWhenItIsKnown) {
  auto how = options();
  std::string name = "one";
  how.defaults.cluster.configured = "here";
  how.defaults.cluster.ask = [&name](const Strand& strand, std::function<void(Result<std::string>)> answer) {
    strand.post([answer, name] { answer(name); });
    return std::unique_ptr<meta::Call>();
  };
  {
    Program program(server_, how);
    ASSERT_TRUE(program.synced());
    ASSERT_TRUE(eventually([&] { return !files().empty(); }));
    program.end();
  }
  server_.requests().clear();
  expect_restart(how);
  EXPECT_FALSE(logged("another cluster"));

  name = "two";
  Program again(server_, how);
  ASSERT_TRUE(again.synced());
  EXPECT_TRUE(eventually([&] { return lists() == 1; }));
  EXPECT_TRUE(logged("the cache file was of another cluster"));
}

TEST_P(CacheFileRefusedTest, TheUidOfKubeSystemIsAsked) {
  const auto asked = [&] { return server_.requests().count("get", "namespaces", {.name = "kube-system"}) == 1; };
  {
    Program program(server_, options());
    ASSERT_TRUE(program.synced());
    ASSERT_TRUE(eventually(asked));  // else this question may arrive beside the next
    program.end();
  }
  server_.requests().clear();
  Program again(server_, options());
  ASSERT_TRUE(again.synced());
  EXPECT_TRUE(eventually(asked));
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileRefusedTest, AnInformerWhoseFunctionsHaveNoNameHasNoFile) {
  const auto without_file = [&](const FactoryOptions& how) {
    run_once(how);
    EXPECT_TRUE(logged("the cache is not kept in a file")) << ::testing::PrintToString(log_.all());
    EXPECT_TRUE(files().empty());
    log_.clear();
  };
  auto how = options();
  how.defaults.transform = [](meta::Object object) -> Result<meta::Object> { return object; };
  without_file(how);
  how = options();
  how.defaults.admit = [](const meta::Object&) { return true; };
  without_file(how);
  how = options();
  how.defaults.key_func = [](const meta::Object& object) -> Result<std::string> { return object.key(); };
  without_file(how);
  how = options();
  how.defaults.tweak_list_options = [](meta::ListOptions&) {};
  without_file(how);
  how = options();
  how.defaults.cache_tag = "of the defaults";  // and not of the function below
  how.by_kind[kConfigMaps].admit = [](const meta::Object&) { return true; };
  without_file(how);
}

TEST_P(CacheFileRefusedTest, ATransformWithATagIsNotAppliedToItsOwnOutcome) {
  auto how = options();
  how.defaults.cache_tag = "adds a mark";
  how.defaults.transform = [](meta::Object object) -> Result<meta::Object> {
    auto draft = object.edit();
    draft["data"]["v"].set(std::string(object["data"]["v"].string()) + "+");
    return draft.to_object();
  };
  run_once(how);

  Program again(server_, how);
  ASSERT_TRUE(again.synced());
  EXPECT_EQ(lists(), 0U);
  EXPECT_EQ(again.value("default/a"), "1+");
  seed("default/a", "2");
  EXPECT_TRUE(eventually([&] { return again.value("default/a") == "2+"; }));
}

TEST_P(CacheFileRefusedTest, SecretsAreNotWrittenUnlessAskedFor) {
  const meta::GroupVersionResource secrets{"", "v1", "secrets"};
  const auto run = [&](bool wanted) {
    auto how = options();
    how.by_kind[secrets].cache_secrets = wanted;
    DynamicSharedInformerFactory factory(testkit::client(server_), how);
    static_cast<void>(factory.for_resource(secrets).value());
    factory.start();
    ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = std::chrono::seconds(30)}));
  };
  run(false);
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(logged("Secrets are not written"));
  run(true);
  EXPECT_EQ(file().filename().string().substr(0, 8), "secrets-");
}

TEST_P(CacheFileRefusedTest, OnlyItsUserReadsAndWritesIt) {
  run_once();
  struct stat info{};
  ASSERT_EQ(lstat(file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  ASSERT_EQ(lstat(directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);

  fs::permissions(file(), fs::perms::group_read, fs::perm_options::add);
  expect_plain_list(options(), "others have access to it");
  expect_restart(options());
}

TEST_P(CacheFileRefusedTest, AFileThatIsNoRegularFile) {
  run_once();
  const auto path = file();
  const auto real = own_.path() / "real";
  fs::rename(path, real);
  fs::create_symlink(real, path);
  expect_plain_list(options(), "cannot be read");
  EXPECT_FALSE(fs::is_symlink(path)) << "the link is replaced, not what it leads to";
  expect_restart(options());

  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_plain_list(options(), "no regular file");
  expect_restart(options());

  fs::remove(path);
  fs::create_directory(path);
  expect_plain_list(options(), "no regular file");
  EXPECT_TRUE(logged("cache file could not be written"));
}

TEST_P(CacheFileRefusedTest, ADirectoryThatIsNotItsOwn) {
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms::all);
  expect_plain_list(options(), "others have access to it");
  EXPECT_TRUE(files().empty());

  fs::remove(directory());
  fs::create_directory(own_.path() / "real");
  fs::create_directory_symlink(own_.path() / "real", directory());
  expect_plain_list(options(), "cannot be opened as a directory");
  auto how = options();
  how.cache_directory += "/";
  expect_plain_list(how, "cannot be opened as a directory");
  EXPECT_TRUE(fs::is_empty(own_.path() / "real"));
}

TEST_P(CacheFileRefusedTest, ADirectoryThatCannotBe) {
  std::ofstream(own_.path() / "file") << "no directory";
  auto how = options();
  how.cache_directory = own_.path() / "file" / "cache";
  expect_plain_list(how, "cannot be made");
  how.cache_directory = own_.path() / "file";
  expect_plain_list(how, "cannot be opened as a directory");
  how.cache_directory = own_.path() / "not" / "there";
  expect_plain_list(how, "cannot be made");
}

/// No file may become larger than this while it lives: the disk is full.
class FullDisk {
 public:
  FullDisk() : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit none{10, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  void (*before_)(int);
  rlimit limit_{};
};

TEST_P(CacheFileRefusedTest, ADiskThatIsFull) {
  run_once();
  const auto before = fs::file_size(file());
  auto how = options();
  how.defaults.cache_interval = milliseconds(5);
  {
    Program program(server_, how);
    ASSERT_TRUE(program.synced());
    const FullDisk full;
    seed("default/b");
    ASSERT_TRUE(program.seen.await({"add default/b"}));
    EXPECT_TRUE(eventually([&] { return logged("cache file could not be written"); }));
    seed("default/c");
    EXPECT_TRUE(program.seen.await({"add default/c"}));
    program.end();
  }
  EXPECT_EQ(fs::file_size(file()), before);  // the one from before, and nothing beside it
  server_.requests().clear();
  Program again(server_, how);
  ASSERT_TRUE(again.synced());
  EXPECT_TRUE(eventually([&] { return again.keys().size() == 3; }));
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileRefusedTest, WhatDeadWritersLeftIsRemoved) {
  run_once();
  const auto left = file().string() + ".tmp-0123456789abcdef";
  const auto alive = file().string() + ".tmp-fedcba9876543210";
  std::ofstream(left) << "half";
  std::ofstream(alive) << "half";
  const Descriptor writer(open(alive.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);

  Program again(server_, options());
  ASSERT_TRUE(again.synced());

  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(alive));
}

INSTANTIATE_TEST_SUITE_P(Queues, CacheFileRefusedTest, ::testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& queue) { return queue.param == QueueKind::Ordered ? "ordered" : "per_key"; });

}  // namespace
}  // namespace kubexx::informer
