#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>

#include "kubexx/rest/kubeconfig.hpp"

namespace kubexx::rest {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kFile = R"(
current-context: main
clusters:
- name: main
  cluster: {server: "https://main.example/prefix", tls-server-name: inner, certificate-authority-data: Y2E=,
            proxy-url: "socks5://proxy:1", disable-compression: true}
- name: other
  cluster: {server: "https://other.example"}
users:
- name: main
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}
- name: basic
  user: {username: admin, password: fake-password}
- name: file
  user: {tokenFile: /does/not/matter, token: fake-both}
- name: as
  user: {token: fake, as: jane, as-uid: u-1, as-groups: [dev, ops], as-user-extra: {scope: [a, b]}}
- name: hint
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never,
                installHint: "run \e[31mthis\e[0m\nthen that"}}
contexts:
- name: main
  context: {cluster: main, user: main, namespace: team}
- name: other
  context: {cluster: other, user: basic}
)";

class OverrideTest : public testing::Test {
 protected:
  Config with(const LoadOptions& flags) {
    auto made = to_config(config_, flags);
    EXPECT_TRUE(made) << made.error();
    return made ? *made : Config{};
  }
  std::string failure(const LoadOptions& flags) {
    const auto made = to_config(config_, flags);
    return made ? "no failure" : made.error().message();
  }
  KubeConfig config_ = KubeConfig::parse(kFile, "").value();
};

// TestCreateClean, TestCreateCleanWithPrefix, TestDisableCompression, TestTLSServerName, TestProxyURL,
// TestCertificateData
TEST_F(OverrideTest, WithoutFlagsTheFileIsTakenAsItIs) {
  const auto made = with({});
  EXPECT_EQ(made.host, "https://main.example/prefix");
  EXPECT_EQ(made.tls.server_name, "inner");
  EXPECT_EQ(made.tls.ca_data, "ca");
  EXPECT_EQ(made.tls.certificate_data, "cert");
  EXPECT_EQ(made.tls.key_data, "key");
  EXPECT_EQ(made.proxy_url, "socks5://proxy:1");
  EXPECT_TRUE(made.disable_compression);
  EXPECT_EQ(made.default_namespace, "team");
}

// TestTLSServerNameClearsWhenServerNameSet
TEST_F(OverrideTest, AnotherServerTakesItsOwnNameOrNone) {
  LoadOptions flags;
  flags.server = "https://flag.example";
  EXPECT_EQ(with(flags).tls.server_name, "");
  flags.tls_server_name = "flag-name";
  EXPECT_EQ(with(flags).tls.server_name, "flag-name");
  flags.server.clear();
  EXPECT_EQ(with(flags).host, "https://main.example/prefix");
  EXPECT_EQ(with(flags).tls.server_name, "flag-name");
}

// TestInsecureOverridesCA, TestCAOverridesCAData
TEST_F(OverrideTest, AuthorityAndInsecurityReplaceEachOther) {
  LoadOptions flags;
  flags.insecure_skip_tls_verify = true;
  EXPECT_TRUE(with(flags).tls.insecure_skip_verify);
  EXPECT_EQ(with(flags).tls.ca_data, "");

  LoadOptions authority;
  authority.certificate_authority = "/dev/null";
  EXPECT_EQ(with(authority).tls.ca_file, "/dev/null");
  EXPECT_EQ(with(authority).tls.ca_data, "");
  EXPECT_FALSE(with(authority).tls.insecure_skip_verify);
}

// TestClientCertOverrideData
TEST_F(OverrideTest, ACertificateFileReplacesTheData) {
  LoadOptions flags;
  flags.client_certificate = "/dev/null";
  flags.client_key = "/dev/null";
  EXPECT_EQ(with(flags).tls.certificate_file, "/dev/null");
  EXPECT_EQ(with(flags).tls.certificate_data, "");
  EXPECT_EQ(with(flags).tls.key_data, "");
}

// TestMergeContext, TestModifyContext, TestAuthConfigMerge, TestMergeRawConfigDoOverride
TEST_F(OverrideTest, ContextClusterAndUserAreChosenOneByOne) {
  LoadOptions context;
  context.context = "other";
  EXPECT_EQ(with(context).host, "https://other.example");
  EXPECT_EQ(with(context).username, "admin");
  EXPECT_EQ(with(context).default_namespace, "default");
  LoadOptions cluster;
  cluster.cluster = "other";
  EXPECT_EQ(with(cluster).host, "https://other.example");
  EXPECT_EQ(with(cluster).tls.certificate_data, "cert");
  LoadOptions user;
  user.user = "basic";
  EXPECT_EQ(with(user).host, "https://main.example/prefix");
  EXPECT_EQ(with(user).password, "fake-password");
}

// TestCreateMissingContext, TestConfirmUsableMissingConfig
TEST_F(OverrideTest, WhatAFlagNamesMustExist) {
  for (const auto* kind : {"context", "cluster", "user"}) {
    LoadOptions flags;
    (kind[1] == 'o' ? flags.context : kind[0] == 'c' ? flags.cluster : flags.user) = "nowhere";
    EXPECT_THAT(failure(flags), HasSubstr(std::string(kind) + " \"nowhere\" does not exist"));
  }
}

// TestNamespaceOverride, TestNamespacePrefixStrip
TEST_F(OverrideTest, TheNamespaceFlagWinsInAnyOfItsSpellings) {
  for (const auto* spelling : {"mine", "ns/mine", "namespace/mine", "namespaces/mine"}) {
    LoadOptions flags;
    flags.namespace_ = spelling;
    EXPECT_EQ(with(flags).default_namespace, "mine");
  }
}

// TestBasicAuthData, TestBasicTokenFile, TestPrecedenceTokenFile
TEST_F(OverrideTest, ATokenWinsOverItsFileAndAFlagOverEverything) {
  LoadOptions flags;
  flags.user = "file";
  EXPECT_EQ(with(flags).bearer_token, "fake-both");
  EXPECT_EQ(with(flags).bearer_token_file, "");
  flags.user = "basic";
  flags.token = "fake-flag";
  EXPECT_EQ(with(flags).bearer_token, "fake-flag");
  EXPECT_EQ(with(flags).username, "");
}

// TestFullImpersonateConfig
TEST_F(OverrideTest, ImpersonationIsReadWholeAndOverriddenPartByPart) {
  LoadOptions flags;
  flags.user = "as";
  const auto made = with(flags).impersonate;
  EXPECT_EQ(made, (Impersonation{"jane", "u-1", {"dev", "ops"}, {{"scope", {"a", "b"}}}}));
  flags.impersonate.user = "joe";
  EXPECT_EQ(with(flags).impersonate.user, "joe");
  EXPECT_EQ(with(flags).impersonate.groups.size(), 2U);
}

// TestProxyURL
TEST_F(OverrideTest, AProxyOfAnotherSchemeIsAnErrorThatRepeatsNoPassword) {
  config_.clusters["main"].proxy_url = "ftp://user:fake-password@proxy";
  EXPECT_THAT(failure({}), testing::AllOf(HasSubstr("proxy-url"), Not(HasSubstr("fake-password"))));
}

// TestCreateAuthConfigExecInstallHintCleanup, TestCleanANSIEscapeCodes
TEST_F(OverrideTest, AHintCannotSpeakToTheTerminal) {
  LoadOptions flags;
  flags.user = "hint";
  const auto hint = with(flags).exec->install_hint;
  EXPECT_THAT(hint, Not(HasSubstr("\x1b")));
  EXPECT_THAT(hint, HasSubstr("\nthen that"));
}

// TestCreateCleanDefault, TestConfirmUsableEmptyConfig
TEST_F(OverrideTest, AServerAloneIsEnoughAndNothingIsAnError) {
  LoadOptions flags;
  flags.server = "https://flag.example";
  flags.token = "fake-flag";
  const auto made = to_config({}, flags);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->host, "https://flag.example");
  EXPECT_EQ(made->bearer_token, "fake-flag");
  EXPECT_THAT(to_config({}, {}).error().message(), HasSubstr("no configuration has been provided"));
}

// TestValidate* of one user
TEST_F(OverrideTest, EveryMistakeOfAUserIsNamed) {
  const auto problems = [](const std::function<void(KubeUser&)>& spoil) {
    KubeConfig config;
    spoil(config.users["u"]);
    std::string all;
    for (const auto& problem : config.problems()) all += problem + "\n";
    return all;
  };
  const auto plugin = [](KubeUser& u) -> ExecConfig& {
    u.exec = ExecConfig{"client.authentication.k8s.io/v1", "x", {}, {}, "", false, "Never", ""};
    return *u.exec;
  };
  EXPECT_EQ(problems([&](KubeUser& u) { plugin(u); }), "");
  EXPECT_EQ(problems([](KubeUser&) {}), "");
  EXPECT_THAT(problems([&](KubeUser& u) { plugin(u).api_version = ""; }), HasSubstr("apiVersion"));
  EXPECT_THAT(problems([&](KubeUser& u) { plugin(u).command = ""; }), HasSubstr("command"));
  EXPECT_THAT(problems([&](KubeUser& u) { plugin(u).environment = {{"", "v"}}; }), HasSubstr("no name"));
  EXPECT_THAT(problems([&](KubeUser& u) { plugin(u).interactive_mode = ""; }), HasSubstr("interactiveMode"));
  EXPECT_THAT(problems([&](KubeUser& u) { plugin(u).interactive_mode = "Maybe"; }), HasSubstr("neither Never"));
  EXPECT_THAT(problems([&](KubeUser& u) {
                plugin(u);
                u.auth_provider = "gcp";
              }),
              HasSubstr("auth-provider and exec"));
  EXPECT_THAT(problems([](KubeUser& u) { u.impersonate.groups = {"g"}; }), HasSubstr("without a user"));
  EXPECT_THAT(problems([](KubeUser& u) { u.impersonate.uid = "1"; }), HasSubstr("without a user"));
  EXPECT_THAT(problems([](KubeUser& u) { u.impersonate.extra["k"] = {"v"}; }), HasSubstr("without a user"));
  EXPECT_EQ(problems([](KubeUser& u) { u.impersonate = {"jane", "1", {"g"}, {{"k", {"v"}}}}; }), "");
  EXPECT_THAT(problems([](KubeUser& u) {
                u.client_certificate = "/no/such.crt";
                u.client_key = "/no/such.key";
              }),
              testing::AllOf(HasSubstr("unable to read client-certificate"), HasSubstr("unable to read client-key")));
  EXPECT_THAT(problems([](KubeUser& u) {
                u.client_certificate = "/dev/null";
                u.client_certificate_data = "x";
                u.client_key_data = "x";
              }),
              HasSubstr("both specified"));
  EXPECT_THAT(problems([](KubeUser& u) {
                u.token = "fake";
                u.username = "x";
              }),
              HasSubstr("more than one authentication method"));
}

// TestValidate* of clusters and contexts
TEST_F(OverrideTest, EveryMistakeOfAClusterAndAContextIsNamed) {
  KubeConfig config;
  config.current_context = "absent";
  config.clusters["empty"];
  config.clusters["ca"] = {"https://x", "", false, "/no/such/ca", "", "", false, {}, ""};
  config.contexts[""] = {"nowhere", "nobody", "", {}, ""};
  config.contexts["blank"];
  std::string all;
  for (const auto& problem : config.problems()) all += problem + "\n";

  for (const auto* part :
       {"specified context: absent", "cluster \"empty\" has no server", "unable to read certificate-authority",
        "a context has no name", "user \"nobody\" was not found", "cluster \"nowhere\" was not found",
        "user was not specified for context \"blank\""}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
  EXPECT_THAT(KubeConfig{}.problems(), testing::ElementsAre("no configuration has been provided"));
}

/// The process environment as it was, afterwards.
class EnvironmentScope {
 public:
  EnvironmentScope(std::initializer_list<std::pair<const char*, std::string>> values) {
    for (const auto& [name, value] : values) {
      const char* old = std::getenv(name);
      before_.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
      value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
    }
  }
  ~EnvironmentScope() {
    for (const auto& [name, value] : before_) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

// TestLoadingGetLoadingPrecedence, TestDeduplicate
TEST_F(OverrideTest, AnAuthorityThatWouldBeIgnoredIsAnError) {
  KubeConfig config;
  config.contexts["c"] = {.cluster = "blue", .user = "u"};
  config.users["u"];
  config.current_context = "c";
  auto& cluster = config.clusters["blue"];
  cluster.server = "https://server.example";
  cluster.insecure_skip_tls_verify = true;
  EXPECT_TRUE(to_config(config, {}));

  cluster.certificate_authority_data = "authority";

  const auto refused = to_config(config, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("insecure-skip-tls-verify would ignore the certificate authority "
                                                   "of cluster \"blue\""));
  EXPECT_THAT(config.problems(), testing::ElementsAre(HasSubstr("insecure-skip-tls-verify")));
  EXPECT_TRUE(to_config(config, {.insecure_skip_tls_verify = true})) << "a flag replaces what the file says";
}

TEST(SourcesTest, FilesAreLookedForInTheUsualOrder) {
  const EnvironmentScope scope{{"KUBECONFIG", ":a:b:a"}, {"HOME", "/somewhere/me"}};
  EXPECT_THAT(KubeConfigSources::from_environment().precedence, testing::ElementsAre("a", "b"));
  EXPECT_EQ(KubeConfigSources::from_environment("x").explicit_path, "x");
  unsetenv("KUBECONFIG");
  EXPECT_THAT(KubeConfigSources::from_environment().precedence, testing::ElementsAre("/somewhere/me/.kube/config"));
}

// TestWarningMissingFiles, TestToleratingMissingFiles
TEST(SourcesTest, AWarningIsGivenOnlyWhenEveryFileOfTheVariableIsMissing) {
  const EnvironmentScope scope{{"KUBECONFIG", "/no/such/a:/no/such/b"}, {"HOME", "/no/such/home"}};
  const auto loaded = load_kubeconfig(KubeConfigSources::from_environment());
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->warnings, testing::ElementsAre(HasSubstr("no file of KUBECONFIG exists")));
  setenv("KUBECONFIG", "/no/such/a:/dev/null", 1);
  EXPECT_THAT(load_kubeconfig(KubeConfigSources::from_environment())->warnings, testing::IsEmpty());
}

// TestInClusterConfig
TEST(InClusterTest, OutsideOfAClusterItSaysSo) {
  const EnvironmentScope scope(
      {{"KUBERNETES_SERVICE_HOST", ""}, {"KUBERNETES_SERVICE_PORT", ""}, {"KUBECONFIG", "/no/such/file"}});
  EXPECT_THAT(Config::in_cluster().error().message(), HasSubstr("not in a cluster"));
  EXPECT_THAT(Config::load().error().message(),
              HasSubstr("no configuration: no file of KUBECONFIG exists: /no/such/file"));
  const auto made = build_config_from_flags("https://flag.example", "");
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->host, "https://flag.example");
}

}  // namespace
}  // namespace kubexx::rest
