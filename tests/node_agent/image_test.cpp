#include <gmock/gmock.h>
#include <sys/stat.h>

#include "agent_process.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::agent {
namespace {

using testing::HasSubstr;

/// The files of the image that deploy/node-agent/Dockerfile makes, of the program as it was built here.
class NodeAgentImageTest : public NodeAgentTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "chroot needs root";
    Program make({KUBEXX_SOURCE_DIR "/deploy/image-tree", KUBEXX_BINARY_DIR "/bin/node_agent", root_},
                 {"PATH=/usr/bin:/bin"});
    const auto said = make.read_line();
    ASSERT_EQ(make.end(0), 0) << said;
  }

  const std::string root_ = folder_ + "/image";
};

TEST_F(NodeAgentImageTest, ItsFilesAreAllThatTheAgentNeeds) {
  const auto mounted = root_ + "/var/run/secrets/kubernetes.io/serviceaccount";
  std::filesystem::create_directories(mounted);
  write_account(mounted);
  for (const auto* file : {"/token", "/ca.crt"}) ASSERT_EQ(chmod((mounted + file).c_str(), 0444), 0);

  Program program({"/usr/sbin/chroot", "--userspec=65532:65532", root_, "/usr/bin/node_agent"}, variables());

  EXPECT_THAT(program.answer(id_of(1)), HasSubstr("\tshop/web\tapp\t"));
  program.close_input();
  EXPECT_EQ(program.end(0), 0);
}

TEST_F(NodeAgentImageTest, ItHasTheProgramLibrariesAUserAndNothingToWriteTo) {
  for (const auto& each : std::filesystem::recursive_directory_iterator(root_)) {
    const auto name = each.path().filename().string();
    EXPECT_EQ(
        each.status().permissions() & (std::filesystem::perms::group_write | std::filesystem::perms::others_write),
        std::filesystem::perms::none)
        << each.path();
    if (each.is_directory()) continue;
    EXPECT_FALSE(each.is_symlink()) << each.path();
    EXPECT_TRUE(name == "node_agent" || name == "passwd" || name == "group" || name.find(".so") != std::string::npos)
        << each.path();
  }
}

TEST_F(NodeAgentImageTest, TheDockerfileMakesItWithTheSameScript) {
  const auto text = read_file(KUBEXX_SOURCE_DIR "/deploy/node-agent/Dockerfile").value();
  EXPECT_THAT(text,
              HasSubstr("\nRUN ./dev build node_agent\nRUN deploy/image-tree build/release/bin/node_agent /image\n"));
  EXPECT_THAT(text, HasSubstr("\nFROM scratch\nCOPY --from=build /image /\n"));
}

}  // namespace
}  // namespace kubexx::agent
