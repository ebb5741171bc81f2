#include "kubexx/rest/kubeconfig.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kubexx/rest/client.hpp"

namespace kubexx::rest {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTwoClusters = R"(
apiVersion: v1
kind: Config
current-context: blue
clusters:
- name: blue-cluster
  cluster: {server: https://blue.example:6443, certificate-authority: ca.crt, tls-server-name: inner.example}
- name: red-cluster
  cluster: {server: "https://red.example", insecure-skip-tls-verify: true}
users:
- name: blue-user
  user: {token: fake-blue-token}
- name: red-user
  user: {username: admin, password: fake-password}
contexts:
- name: blue
  context: {cluster: blue-cluster, user: blue-user, namespace: team}
- name: red
  context: {cluster: red-cluster, user: red-user}
)";

/// A folder that goes with the test.
class KubeConfigTest : public testing::Test {
 protected:
  KubeConfigTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~KubeConfigTest() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view text) {
    const auto path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  }
  std::string folder_;
};

TEST_F(KubeConfigTest, TheCurrentContextDecides) {
  write("ca.crt", "x");
  const auto config = KubeConfig::read_file(write("config", kTwoClusters)).value();

  const auto made = to_config(config, {});

  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->host, "https://blue.example:6443");
  EXPECT_EQ(made->bearer_token, "fake-blue-token");
  EXPECT_EQ(made->default_namespace, "team");
  EXPECT_EQ(made->tls.server_name, "inner.example");
}

// TestResolveRelativePaths
TEST_F(KubeConfigTest, RelativePathsAreRelativeToTheirFile) {
  const auto config = KubeConfig::read_file(write("sub/config", kTwoClusters)).value();

  EXPECT_EQ(config.clusters.at("blue-cluster").certificate_authority, folder_ + "/sub/ca.crt");
}

// TestTLSServerNameClearsWhenServerNameSet, TestInsecureOverridesCA
TEST_F(KubeConfigTest, OverridesReplaceTheirWholeGroup) {
  write("ca.crt", "x");
  const auto config = KubeConfig::read_file(write("config", kTwoClusters)).value();
  LoadOptions flags;
  flags.server = "https://other.example";
  flags.insecure_skip_tls_verify = true;
  flags.namespace_ = "namespaces/mine";

  const auto made = to_config(config, flags).value();

  EXPECT_EQ(made.host, "https://other.example");
  EXPECT_EQ(made.tls.server_name, "");
  EXPECT_EQ(made.tls.ca_file, "");
  EXPECT_TRUE(made.tls.insecure_skip_verify);
  EXPECT_EQ(made.default_namespace, "mine");
}

TEST_F(KubeConfigTest, AnotherContextMayBeNamedAndMustExist) {
  const auto config = KubeConfig::read_file(write("config", kTwoClusters)).value();
  LoadOptions flags;
  flags.context = "red";
  EXPECT_EQ(to_config(config, flags).value().username, "admin");

  flags.context = "green";
  EXPECT_THAT(to_config(config, flags).error().message(), HasSubstr("context \"green\" does not exist"));
}

// Example_mergingSomeWithConflict, TestConflictingCurrentContext
TEST_F(KubeConfigTest, OfSeveralFilesTheFirstToSaySomethingWins) {
  KubeConfigSources sources;
  sources.precedence = {
      write("first", "current-context: one\nclusters: [{name: c, cluster: {server: https://first}}]\n"),
      folder_ + "/missing",
      write("second",
            "current-context: two\nclusters: [{name: c, cluster: {server: https://second}}, {name: "
            "d, cluster: {server: https://d}}]\n")};

  const auto loaded = load_kubeconfig(sources).value();

  EXPECT_EQ(loaded.config.current_context, "one");
  EXPECT_EQ(loaded.config.clusters.at("c").server, "https://first");
  EXPECT_EQ(loaded.config.clusters.at("d").server, "https://d");
}

// TestNonExistentCommandLineFile, TestErrorReadingNonFile
TEST_F(KubeConfigTest, AnExplicitFileMustBeReadable) {
  KubeConfigSources sources;
  sources.explicit_path = folder_ + "/missing";
  EXPECT_THAT(load_kubeconfig(sources).error().message(), HasSubstr("missing: no such file"));
  sources.explicit_path = folder_;
  EXPECT_THAT(load_kubeconfig(sources).error().message(), HasSubstr("is a directory"));
  sources.explicit_path = write("bad", "clusters: [");
  EXPECT_THAT(load_kubeconfig(sources).error().message(), HasSubstr("bad"));
}

/// Another working directory until the end of the scope.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string& folder) : before_(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    EXPECT_EQ(chdir(folder.c_str()), 0);
  }
  ~WorkingDirectory() {
    EXPECT_EQ(fchdir(before_), 0);
    close(before_);
  }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  int before_;
};

TEST_F(KubeConfigTest, AFileNamedWithoutAFolderResolvesItsPathsInTheWorkingDirectory) {
  write("ca.crt", "x");
  write("rel", kTwoClusters);
  const WorkingDirectory inside(folder_);

  const auto config = KubeConfig::read_file("rel").value();

  EXPECT_EQ(config.clusters.at("blue-cluster").certificate_authority,
            std::filesystem::canonical(folder_).string() + "/ca.crt");
}

TEST_F(KubeConfigTest, PathsStayRelativeWhenTheWorkingDirectoryIsGone) {
  const auto gone = folder_ + "/gone";
  std::filesystem::create_directory(gone);
  const WorkingDirectory inside(gone);
  std::filesystem::remove(gone);

  const auto config = KubeConfig::parse(kTwoClusters, "rel").value();

  EXPECT_EQ(config.clusters.at("blue-cluster").certificate_authority, "ca.crt");
  EXPECT_THAT(config.to_yaml("sub"), HasSubstr("certificate-authority: ca.crt"));
  KubeConfigSources sources;
  sources.explicit_path = "rel";
  EXPECT_THAT(load_kubeconfig(sources).error().message(), HasSubstr("rel: no such file"));
}

TEST_F(KubeConfigTest, AFileThatCannotBeLookedAtIsAnError) {
  KubeConfigSources sources;
  sources.explicit_path = folder_ + "/" + std::string(300, 'x');
  EXPECT_THAT(load_kubeconfig(sources).error().message(), HasSubstr("File name too long"));
  EXPECT_FALSE(modify_kubeconfig(sources, KubeConfig{}));
}

TEST_F(KubeConfigTest, AFileWithoutAnEndIsAnError) {
  EXPECT_THAT(KubeConfig::read_file("/dev/zero").error().message(), HasSubstr("/dev/zero: larger than 8 MB"));
}

TEST_F(KubeConfigTest, APipeInPlaceOfACertificateBlocksNobody) {
  ASSERT_EQ(mkfifo((folder_ + "/ca.crt").c_str(), 0600), 0);
  const auto config = KubeConfig::read_file(write("config", kTwoClusters)).value();

  EXPECT_FALSE(Client::create(to_config(config, {}).value()));
}

// TestDuplicateClusterName and its siblings
TEST_F(KubeConfigTest, ANameTwiceInOneListIsAnError) {
  const auto parsed =
      KubeConfig::parse("clusters: [{name: c, cluster: {server: a}}, {name: c, cluster: {server: b}}]", "f");

  EXPECT_THAT(parsed.error().message(), HasSubstr("cluster \"c\" appears twice"));
}

// TestConfirmUsableBadInfoButOkConfig, TestConfirmUsableMissingObjects
TEST_F(KubeConfigTest, OnlyWhatTheContextUsesMustBeSound) {
  auto config = KubeConfig::parse(kTwoClusters, "").value();
  config.users["broken"].token = "fake";
  config.users["broken"].username = "both";
  EXPECT_THAT(config.problems_of_context("red"), IsEmpty());
  EXPECT_THAT(config.problems(), Contains(HasSubstr("more than one authentication method")));

  config.contexts["red"].user = "nobody";
  EXPECT_THAT(config.problems_of_context("red"), Contains(HasSubstr("user \"nobody\" was not found")));
}

TEST_F(KubeConfigTest, TheRemovedAuthProviderNamesItsSuccessor) {
  const auto config = KubeConfig::parse(R"({current-context: c, clusters: [{name: k, cluster: {server: "https://x"}}],
    users: [{name: u, user: {auth-provider: {name: gcp}}}], contexts: [{name: c, context: {cluster: k, user: u}}]})",
                                        "")
                          .value();

  EXPECT_THAT(to_config(config, {}).error().message(), HasSubstr("gke-gcloud-auth-plugin"));
}

TEST_F(KubeConfigTest, CredentialsAreNotForServersWithoutTls) {
  const auto config =
      KubeConfig::parse(R"({current-context: c, clusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}],
    users: [{name: u, user: {token: fake}}], contexts: [{name: c, context: {cluster: k, user: u}}]})",
                        "")
          .value();
  EXPECT_EQ(to_config(config, {}).value().bearer_token, "");

  LoadOptions flags;
  flags.token = "fake-asked-for";
  EXPECT_EQ(to_config(config, flags).value().bearer_token, "fake-asked-for");
}

TEST_F(KubeConfigTest, AFileWithSecretsThatOthersCanReadIsWarnedOf) {
  KubeConfigSources sources;
  sources.explicit_path = write("config", kTwoClusters);
  EXPECT_THAT(load_kubeconfig(sources).value().warnings, IsEmpty());

  std::filesystem::permissions(sources.explicit_path, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(load_kubeconfig(sources).value().warnings, Contains(HasSubstr("readable by others")));
}

TEST_F(KubeConfigTest, KeyAndTokenFilesThatOthersCanReadAreWarnedOf) {
  const auto key = write("client.key", "x");
  const auto token = write("token", "x");
  KubeConfigSources sources;
  sources.explicit_path =
      write("config", "users: [{name: a, user: {client-key: client.key, tokenFile: " + token + "}}]");
  EXPECT_THAT(load_kubeconfig(sources).value().warnings, IsEmpty());

  for (const auto& path : {key, token})
    std::filesystem::permissions(path, std::filesystem::perms::group_read, std::filesystem::perm_options::add);

  EXPECT_THAT(load_kubeconfig(sources).value().warnings,
              testing::ElementsAre(key + " is the secret of user \"a\" and is readable by others",
                                   token + " is the secret of user \"a\" and is readable by others"));
}

TEST_F(KubeConfigTest, AFileThatOthersCanWriteIsWarnedOf) {
  KubeConfigSources sources;
  sources.explicit_path = write("config", "users: [{name: a, user: {}}]");
  EXPECT_THAT(load_kubeconfig(sources).value().warnings, IsEmpty());
  std::filesystem::permissions(sources.explicit_path, std::filesystem::perms::group_write,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(load_kubeconfig(sources).value().warnings, testing::ElementsAre(HasSubstr("can be written by others")));
}

TEST_F(KubeConfigTest, AValueThatDoesNotFitItsTagIsNotRepeated) {
  const auto parsed = KubeConfig::parse("users: [{name: u, user: {token: !!int fake-secret}}]", "f");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message(),
              testing::AllOf(HasSubstr("does not fit its tag"), testing::Not(HasSubstr("fake-secret"))));
}

TEST_F(KubeConfigTest, AWarningGoesToWhoeverLoads) {
  write("ca.crt", "x");
  LoadOptions options;
  options.kubeconfig = write("config", kTwoClusters);
  std::filesystem::permissions(options.kubeconfig, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  std::vector<std::string> warnings;
  options.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };

  EXPECT_TRUE(Config::load(options));

  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("config holds secrets and is readable by others")));
}

TEST_F(KubeConfigTest, ABadBase64OrTypeIsAnErrorThatNamesTheField) {
  EXPECT_THAT(KubeConfig::parse("users: [{name: u, user: {client-key-data: '*'}}]", "f").error().message(),
              HasSubstr("client-key-data"));
  EXPECT_THAT(KubeConfig::parse("clusters: [{name: u, cluster: {server: [1]}}]", "f").error().message(),
              HasSubstr("server"));
  EXPECT_THAT(KubeConfig::parse("[]", "f").error().message(), HasSubstr("a kubeconfig is a map"));
}

}  // namespace
}  // namespace kubexx::rest
