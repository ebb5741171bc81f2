#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/internal/random_token.hpp"
#include "kubexx/rest/client.hpp"
#include "unit/transport/support/fixture.hpp"

extern char** environ;

namespace kubexx::rest {
namespace {

constexpr unsigned long kLargest = 1UL << 30;
constexpr const char* kFolder = "KUBEXX_WIPING_FOLDER";

std::string content(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// What the other process does: it uses a credential that it has from a file, says so, and closes everything when it is
/// told to. It has to be another process: this one has the token itself, and the server's memory.
TEST(WipingPeer, DISABLED_UsesACredentialAndClosesEverything) {
  const char* folder = getenv(kFolder);
  if (!folder) GTEST_SKIP() << "for the tests below";
  const auto path = std::string(folder) + "/";
  {
    Config config;
    config.host = content(path + "url");
    config.tls.ca_file = path + "ca.crt";
    if (std::filesystem::exists(path + "token")) config.bearer_token_file = path + "token";
    if (std::filesystem::exists(path + "client.key")) {
      config.tls.certificate_file = path + "client.crt";
      config.tls.key_file = path + "client.key";
    }
    if (std::filesystem::exists(path + "plugin")) {
      config.exec = ExecConfig{.api_version = "client.authentication.k8s.io/v1", .command = path + "plugin"};
      config.exec->interactive_mode = "Never";
    }
    const auto client = Client::create(config).value();
    Request request;
    request.path = {{"", "v1", "pods"}, "ns", "a", ""};
    bool good = true;
    for (int i = 0; i < 3; ++i) good = client.send(request).has_value() && good;
    std::cout << (good ? "used" : "failed") << std::endl;
    std::string word;
    std::cin >> word;
  }
  std::cout << "closed" << std::endl;
  std::string word;
  std::cin >> word;
}

/// That process, with its memory open for reading.
class WipingPeer {
 public:
  explicit WipingPeer(const std::string& folder) {
    int in[2];
    int out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    std::string self = std::filesystem::read_symlink("/proc/self/exe");
    std::string filter = "--gtest_filter=WipingPeer.*";
    std::string disabled = "--gtest_also_run_disabled_tests";
    char* arguments[] = {self.data(), filter.data(), disabled.data(), nullptr};
    setenv(kFolder, folder.c_str(), 1);
    EXPECT_EQ(posix_spawn(&pid_, self.c_str(), &files, nullptr, arguments, environ), 0);
    unsetenv(kFolder);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = fdopen(out[0], "r");
  }
  ~WipingPeer() {
    close(to_);
    fclose(from_);
    waitpid(pid_, nullptr, 0);
  }
  /// Whether it says so next, among what gtest says.
  bool says(const std::string& word) {
    std::string line;
    for (int c = 0; (c = fgetc(from_)) != EOF;) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      if (line == word) return true;
      if (line == "failed") return false;
      line.clear();
    }
    return false;
  }
  void close_all() { EXPECT_EQ(write(to_, "close\n", 6), 6); }
  /// Where in its memory the text stands.
  std::vector<std::string> places_of(const std::string& text) const {
    const auto process = "/proc/" + std::to_string(pid_);
    std::ifstream maps(process + "/maps");
    const int memory = open((process + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_GE(memory, 0);
    std::vector<std::string> places;
    for (std::string line; std::getline(maps, line);) {
      unsigned long begin = 0;
      unsigned long end = 0;
      char readable = 0;
      if (sscanf(line.c_str(), "%lx-%lx %c", &begin, &end, &readable) != 3 || readable != 'r') continue;
      if (end - begin > kLargest) continue;  // what a sanitizer reserves, and would get here
      search(memory, begin, end, text, line, places);
    }
    close(memory);
    return places;
  }

 private:
  static void search(int memory, unsigned long begin, unsigned long end, const std::string& text,
                     const std::string& where, std::vector<std::string>& places) {
    constexpr std::size_t kPiece = 1 << 20;
    std::string piece(kPiece + text.size(), '\0');
    for (auto at = begin; at < end; at += kPiece) {
      const auto count =
          pread(memory, piece.data(), std::min<std::size_t>(piece.size(), end - at), static_cast<off_t>(at));
      if (count <= 0) return;
      const auto found = std::string_view(piece).substr(0, static_cast<std::size_t>(count)).find(text);
      if (found != std::string_view::npos) places.push_back(where + " at " + std::to_string(at + found));
    }
  }

  pid_t pid_ = 0;
  int to_ = -1;
  FILE* from_ = nullptr;
};

class WipingTest : public testing::Test {
 protected:
  WipingTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    put("ca.crt", server_.authority.pem());
    put("url", server_.url(""));
  }
  ~WipingTest() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream(folder_ + "/" + name) << text;
    chmod((folder_ + "/" + name).c_str(), mode);
  }

  static transport::test::Http2Options answering() {
    return transport::test::replying([](const transport::test::Http2Request&) {
      transport::test::Http2Reply reply;
      reply.headers = {{"content-type", "application/json"}};
      reply.body = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";
      return reply;
    });
  }
  std::string folder_;
  transport::test::Http2Server server_{answering()};
  const std::string token_ = random_token() + random_token();
};

TEST_F(WipingTest, ATokenFromAFileIsNowhereInMemoryOnceAllIsClosed) {
  put("token", token_ + "\n");
  WipingPeer peer(folder_);
  ASSERT_TRUE(peer.says("used"));
  EXPECT_THAT(peer.places_of(token_), testing::Not(testing::IsEmpty())) << "this test would not find it";

  peer.close_all();
  ASSERT_TRUE(peer.says("closed"));

  EXPECT_THAT(peer.places_of(token_), testing::IsEmpty());
}

TEST_F(WipingTest, ATokenFromAPluginIsNowhereInMemoryOnceAllIsClosed) {
  put("plugin",
      "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":"
      "{\"token\":\"" +
          token_ + "\"}}'\n",
      0700);
  WipingPeer peer(folder_);
  ASSERT_TRUE(peer.says("used"));

  peer.close_all();
  ASSERT_TRUE(peer.says("closed"));

  EXPECT_THAT(peer.places_of(token_), testing::IsEmpty());
}

TEST_F(WipingTest, TheTextOfAClientsKeyIsNowhereInMemoryOnceAllIsClosed) {
  const auto me = transport::test::Authority("clients").issue({"me"});
  put("client.crt", me.certificate);
  put("client.key", me.key);
  WipingPeer peer(folder_);
  ASSERT_TRUE(peer.says("used"));
  const auto line = me.key.substr(me.key.find('\n') + 1, 60);
  EXPECT_THAT(peer.places_of(line), testing::Not(testing::IsEmpty())) << "this test would not find it";

  peer.close_all();
  ASSERT_TRUE(peer.says("closed"));

  EXPECT_THAT(peer.places_of(line), testing::IsEmpty());
}

}  // namespace
}  // namespace kubexx::rest
