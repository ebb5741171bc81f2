#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kubexx/rest/kubeconfig.hpp"

namespace kubexx::rest {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOne = R"(
apiVersion: v1
kind: Config
current-context: blue
preferences: {colors: true}
clusters:
- {name: blue, cluster: {server: "https://blue.example", certificate-authority: certs/ca.crt, unknown-field: kept}}
- {name: gone, cluster: {server: "https://gone.example"}}
users:
- {name: blue, user: {token: fake-blue-token}}
- {name: old, user: {auth-provider: {name: gcp, config: {id: kept-too}}}}
contexts:
- {name: blue, context: {cluster: blue, user: blue}}
)";
constexpr const char* kTwo = R"(
clusters: [{name: red, cluster: {server: "https://red.example"}}]
users: [{name: red, user: {username: admin, password: fake-password}}]
contexts: [{name: red, context: {cluster: red, user: red}}]
)";

class KubeConfigModifyTest : public testing::Test {
 protected:
  KubeConfigModifyTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    sources_.precedence = {write("one", kOne), folder_ + "/missing", write("two", kTwo)};
    config_ = load_kubeconfig(sources_).value().config;
  }
  ~KubeConfigModifyTest() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view text) {
    const auto path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name);
    std::stringstream out;
    out << file.rdbuf();
    return out.str();
  }
  KubeConfig reread(const std::string& name) const { return KubeConfig::read_file(folder_ + "/" + name).value(); }

  std::string folder_;
  KubeConfigSources sources_;
  KubeConfig config_;
};

TEST_F(KubeConfigModifyTest, EachStanzaGoesToTheFileItCameFromAndNewOnesToTheFirst) {
  config_.clusters["blue"].server = "https://blue2.example";
  config_.users["red"].password = "fake-new-password";
  config_.contexts["new"] = {"blue", "red", "team", {}, ""};
  const auto two = text("two");

  ASSERT_TRUE(modify_kubeconfig(sources_, config_));

  EXPECT_EQ(reread("one").clusters.at("blue").server, "https://blue2.example");
  EXPECT_EQ(reread("one").contexts.at("new").namespace_, "team");
  EXPECT_FALSE(reread("two").contexts.contains("new"));
  EXPECT_FALSE(reread("one").users.contains("red"));
  EXPECT_EQ(reread("two").users.at("red").password, "fake-new-password");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/missing"));
}

TEST_F(KubeConfigModifyTest, WhatDidNotChangeIsNotWritten) {
  const auto before = text("one");
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));
  EXPECT_EQ(text("one"), before);

  config_.users["red"].username = "root";
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));
  EXPECT_EQ(text("one"), before);
}

TEST_F(KubeConfigModifyTest, FieldsNobodyHereKnowsSurvive) {
  config_.clusters["blue"].proxy_url = "http://proxy.example";
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));

  EXPECT_THAT(text("one"), HasSubstr("unknown-field: kept"));
  EXPECT_THAT(text("one"), HasSubstr("id: kept-too"));
  EXPECT_THAT(text("one"), HasSubstr("colors: true"));
}

TEST_F(KubeConfigModifyTest, ARemovedStanzaLeavesItsFile) {
  config_.clusters.erase("gone");
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));

  EXPECT_FALSE(reread("one").clusters.contains("gone"));
  EXPECT_TRUE(reread("one").clusters.contains("blue"));
}

TEST_F(KubeConfigModifyTest, TheCurrentContextIsSetInTheDefaultFileAndUnsetWhereItIs) {
  config_.current_context = "red";
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));
  EXPECT_EQ(reread("one").current_context, "red");

  KubeConfigSources other;
  other.precedence = {sources_.precedence[2], sources_.precedence[0]};
  auto config = load_kubeconfig(other).value().config;
  config.current_context = "";
  ASSERT_TRUE(modify_kubeconfig(other, config));
  EXPECT_EQ(reread("one").current_context, "");
  EXPECT_EQ(load_kubeconfig(other).value().config.current_context, "");
}

// TestModifyConfigWritesToFirstKubeconfigFile
TEST_F(KubeConfigModifyTest, TheDefaultFileIsTheFirstThatExistsElseTheLast) {
  EXPECT_EQ(sources_.default_file(), folder_ + "/one");
  KubeConfigSources none;
  none.precedence = {folder_ + "/x", folder_ + "/deep/y"};
  EXPECT_EQ(none.default_file(), folder_ + "/deep/y");
  KubeConfig config;
  config.clusters["c"].server = "https://c";
  ASSERT_TRUE(modify_kubeconfig(none, config));
  EXPECT_EQ(reread("deep/y").clusters.at("c").server, "https://c");

  none.explicit_path = folder_ + "/named";
  ASSERT_TRUE(modify_kubeconfig(none, config));
  EXPECT_EQ(reread("named").clusters.at("c").server, "https://c");
}

TEST_F(KubeConfigModifyTest, FilesAreForTheirOwnerAloneAndNoLockStays) {
  chmod((folder_ + "/one").c_str(), 0644);
  config_.current_context = "";
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));

  struct stat info{};
  ASSERT_EQ(stat((folder_ + "/one").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 2U);
}

// Who is killed while he writes leaves his lock behind: there it can be looked at.
TEST_F(KubeConfigModifyTest, ALockIsForItsOwnerAlone) {
  config_.current_context = "";
  EXPECT_EXIT(
      {
        umask(0);
        const rlimit nothing{};
        setrlimit(RLIMIT_CORE, &nothing);
        setrlimit(RLIMIT_FSIZE, &nothing);  // a write is the end
        static_cast<void>(modify_kubeconfig(sources_, config_));
      },
      testing::KilledBySignal(SIGXFSZ), "");

  EXPECT_EQ(std::filesystem::status(folder_ + "/one.lock").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// TestFileLocking
TEST_F(KubeConfigModifyTest, ALockedFileIsLeftAloneAndTheErrorNamesTheLock) {
  write("one.lock", "");
  const auto before = text("one");
  config_.current_context = "";

  const auto refused = modify_kubeconfig(sources_, config_);

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("one.lock"));
  EXPECT_EQ(text("one"), before);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/one.lock"));
}

TEST_F(KubeConfigModifyTest, ASymbolicLinkStaysOne) {
  std::filesystem::create_symlink("one", folder_ + "/link");
  KubeConfigSources sources;
  sources.explicit_path = folder_ + "/link";
  auto config = load_kubeconfig(sources).value().config;
  config.current_context = "changed";
  ASSERT_TRUE(modify_kubeconfig(sources, config));

  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/link"));
  EXPECT_EQ(reread("one").current_context, "changed");
}

// TestRelativizePathWithNoBacksteps
TEST_F(KubeConfigModifyTest, OnlyPathsBelowTheFilesFolderAreWrittenRelative) {
  config_.clusters["blue"].server = "https://blue2.example";
  config_.users["blue"].client_certificate = folder_ + "/certs/me.crt";
  config_.users["blue"].client_key = "/elsewhere/me.key";
  config_.users["blue"].exec =
      ExecConfig{"client.authentication.k8s.io/v1", folder_ + "/plugin", {}, {}, "", false, "Never", ""};
  ASSERT_TRUE(modify_kubeconfig(sources_, config_));

  EXPECT_THAT(text("one"), HasSubstr("certificate-authority: certs/ca.crt"));
  EXPECT_THAT(text("one"), HasSubstr("client-certificate: certs/me.crt"));
  EXPECT_THAT(text("one"), HasSubstr("client-key: /elsewhere/me.key"));
  EXPECT_THAT(text("one"), HasSubstr("command: ./plugin"));
  EXPECT_EQ(reread("one").users.at("blue").exec->command, folder_ + "/plugin");
  EXPECT_EQ(reread("one").clusters.at("blue").certificate_authority, folder_ + "/certs/ca.crt");
}

// TestEncodeYAML
TEST_F(KubeConfigModifyTest, WhatIsWrittenReadsBackTheSame) {
  auto& user = config_.users["full"];
  user.client_certificate_data = std::string("\0\xff bytes", 8);
  user.client_key_data = "fake-key";
  user.token_file = folder_ + "/token";
  user.impersonate = {"jane", "u-1", {"dev", "ops"}, {{"scope", {"a", "b"}}}};
  user.exec = ExecConfig{"client.authentication.k8s.io/v1beta1",
                         "aws",
                         {"get-token", "yes"},
                         {{"A", "1"}, {"B", ""}},
                         "install it",
                         true,
                         "IfAvailable",
                         ""};
  user.extensions = {{"x.example", R"({"a":[1,true,"no"]})"}};
  auto& cluster = config_.clusters["full"];
  cluster = {"https://full", "inner", true, "", "ca bytes", "socks5://p", true, {{"e", R"("text")"}}, ""};

  const auto again = KubeConfig::parse(config_.to_yaml(folder_), folder_ + "/anything").value();

  for (auto [name, stanza] : config_.users) {
    stanza.origin = folder_ + "/anything";
    EXPECT_EQ(again.users.at(name), stanza) << name;
  }
  for (auto [name, stanza] : config_.clusters) {
    stanza.origin = folder_ + "/anything";
    EXPECT_EQ(again.clusters.at(name), stanza) << name;
  }
  EXPECT_EQ(again.current_context, "blue");
}

// TestMinifySuccess, TestMinifyMissingContext and its siblings
TEST_F(KubeConfigModifyTest, MinifyingKeepsWhatTheCurrentContextNeeds) {
  const auto small = config_.minified().value();
  EXPECT_EQ(small.contexts.size(), 1U);
  EXPECT_EQ(small.clusters.size(), 1U);
  EXPECT_EQ(small.users.at("blue").token, "fake-blue-token");

  auto broken = config_;
  broken.contexts["blue"].user = "nobody";
  EXPECT_THAT(broken.minified().error().message(), HasSubstr("cannot locate user nobody"));
  broken.contexts["blue"].cluster = "nowhere";
  EXPECT_THAT(broken.minified().error().message(), HasSubstr("cannot locate cluster nowhere"));
  broken.current_context = "none";
  EXPECT_THAT(broken.minified().error().message(), HasSubstr("cannot locate context none"));
  broken.current_context = "";
  EXPECT_FALSE(broken.minified());
}

// TestFlattenSuccess
TEST_F(KubeConfigModifyTest, FlatteningTakesTheFilesIn) {
  auto config = config_.minified().value();
  EXPECT_THAT(config.flattened().error().message(), HasSubstr("certs/ca.crt"));
  config.clusters["blue"].certificate_authority = write("ca", "authority");
  config.users["blue"].client_certificate = write("crt", "certificate");
  config.users["blue"].client_key = write("key", "fake-key");

  const auto flat = config.flattened().value();

  EXPECT_EQ(flat.clusters.at("blue").certificate_authority_data, "authority");
  EXPECT_EQ(flat.clusters.at("blue").certificate_authority, "");
  EXPECT_EQ(flat.users.at("blue").client_certificate_data, "certificate");
  EXPECT_EQ(flat.users.at("blue").client_key_data, "fake-key");
}

// TestShortenSuccess, TestRedactSecrets
TEST_F(KubeConfigModifyTest, ShortenedAndRedactedShowWordsInsteadOfData) {
  auto config = config_;
  config.users["blue"].client_key_data = "fake-key";
  config.users["blue"].client_certificate_data = "certificate";
  config.users["blue"].exec = ExecConfig{"v", "c", {}, {{"SECRET", "fake-value"}}, "", false, "", ""};
  config.users["blue"].exec->arguments = {"fake-word", "--secret=fake-a", "--password", "fake-b", "-p", "-pfake-c"};
  config.clusters["blue"].certificate_authority_data = "authority";
  config.clusters["blue"].server = "https://somebody:fake-d@server.example";
  config.clusters["blue"].proxy_url = "http://somebody:fake-e@proxy.example:1";

  EXPECT_THAT(config.shortened().to_yaml(), HasSubstr("certificate-authority-data: DATA+OMITTED"));
  EXPECT_THAT(config.shortened().to_yaml(), HasSubstr("client-key-data: DATA+OMITTED"));
  const auto text = config.redacted().to_yaml();
  EXPECT_THAT(text, HasSubstr("token: REDACTED"));
  EXPECT_THAT(text, HasSubstr("password: REDACTED"));
  EXPECT_THAT(text, HasSubstr("client-key-data: DATA+OMITTED"));
  EXPECT_THAT(text, Not(HasSubstr("fake-")));
  for (const auto* shown : {"--secret=REDACTED", "--password", "- -p\n", "@proxy.example:1", "@server.example"})
    EXPECT_THAT(text, HasSubstr(shown));
}

TEST_F(KubeConfigModifyTest, FoldersThatAreMadeAreForTheirOwnerAlone) {
  const auto before = umask(0);
  const auto folder = std::filesystem::path(sources_.precedence.front()).parent_path() / "new";
  KubeConfigSources sources;
  sources.explicit_path = folder / "deep" / "config";
  const auto written = modify_kubeconfig(sources, config_);
  umask(before);

  ASSERT_TRUE(written) << written.error();
  for (const auto& made : {folder, folder / "deep"})
    EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms::owner_all) << made;
}

}  // namespace
}  // namespace kubexx::rest
