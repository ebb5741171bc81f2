#include "rest/subprocess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace kubexx::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

/// Programs as shell scripts in a folder that goes with the test.
class SubprocessTest : public testing::Test {
 protected:
  SubprocessTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~SubprocessTest() override { std::filesystem::remove_all(folder_); }

  std::string script(const std::string& body) const {
    const auto path = folder_ + "/program";
    std::ofstream(path) << "#!/bin/sh\ncd " << folder_ << "\n" << body << "\n";
    chmod(path.c_str(), 0700);
    return path;
  }
  std::string file(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }
  static bool comes_true(const std::function<bool()>& condition) {
    const auto ceiling = Clock::system().now() + seconds(30);
    while (!condition()) {
      if (Clock::system().now() > ceiling) return false;
      std::this_thread::yield();
    }
    return true;
  }
  /// It may wait to be reaped by whoever has that duty.
  static bool gone(const std::string& pid) {
    std::ifstream in("/proc/" + std::to_string(std::stoi(pid)) + "/stat");
    std::string number, name, state;
    return !(in >> number >> name >> state) || state == "Z" || state == "X";
  }
  /// Runs it and stops it once it wrote the file "ready".
  Result<SubprocessResult> stopped(const std::string& program) const {
    std::stop_source stop;
    std::jthread stopper([&] {
      EXPECT_TRUE(comes_true([&] { return !file("ready").empty(); }));
      stop.request_stop();
    });
    return run_program(program, {}, {}, {.stop = stop.get_token()});
  }

  std::string folder_;
};

TEST_F(SubprocessTest, WhatTakesTooLongIsEndedWithWhatItStarted) {
  const auto program = script("sleep 600 & echo $! > child\necho $$ > self\nwait");

  // On a busy machine it may not have started anything by then: that says nothing, and it gets more time.
  for (auto time = milliseconds(300); file("self").empty() && time < seconds(20); time *= 4) {
    const auto result = run_program(program, {}, {}, {.timeout = time});

    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message(), HasSubstr("took longer than " + std::to_string(time.count()) + " ms"));
  }

  ASSERT_NE(file("self"), "");
  ASSERT_NE(file("child"), "");
  EXPECT_TRUE(comes_true([&] { return gone(file("child")) && gone(file("self")); }));
}

TEST_F(SubprocessTest, TheTimeIsForTheWholeRunNotForItsOutput) {
  const auto result = run_program(script("exec >&-\nexec sleep 600"), {}, {}, {.timeout = milliseconds(300)});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("took longer"));
}

TEST_F(SubprocessTest, OneThatClosedItsOutputIsStoppedToo) {
  EXPECT_TRUE(stopped(script("exec >&-\necho yes > ready\nexec sleep 600")).error().is_canceled());
}

TEST_F(SubprocessTest, OneThatIsStoppedMayCleanUp) {
  const auto program = script("trap 'echo bye > farewell; exit 0' TERM\nsleep 600 &\necho yes > ready\nwait");
  EXPECT_TRUE(stopped(program).error().is_canceled());
  EXPECT_EQ(file("farewell"), "bye\n");
}

TEST_F(SubprocessTest, OneThatDoesNotListenIsEndedByForce) {
  const auto program = script("trap '' TERM\necho $$ > self\necho yes > ready\nwhile :; do sleep 600; done");
  EXPECT_TRUE(stopped(program).error().is_canceled());
  EXPECT_TRUE(comes_true([&] { return gone(file("self")); }));
}

TEST_F(SubprocessTest, EveryOneIsReaped) {
  const auto program = script("echo $$ > self");
  ASSERT_TRUE(run_program(program, {}, {}, {}));
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(std::stoi(file("self")))));
}

TEST_F(SubprocessTest, OfAVariableThatIsGivenTwiceTheProgramSeesTheLast) {
  const auto program = script("env | grep ^KUBEXX_TWICE=");
  setenv("KUBEXX_TWICE", "ours", 1);
  const auto result = run_program(program, {}, {{"KUBEXX_TWICE", "first"}, {"KUBEXX_TWICE", "last"}}, {});
  unsetenv("KUBEXX_TWICE");
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->output, "KUBEXX_TWICE=last\n");
}

/// PATH and the working directory as a test wants them, and then as they were.
class Surroundings {
 public:
  Surroundings(const std::string& path, const std::string& folder)
      : path_(getenv("PATH")), folder_(std::filesystem::current_path()) {
    setenv("PATH", path.c_str(), 1);
    std::filesystem::current_path(folder);
  }
  ~Surroundings() {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::current_path(folder_);
  }

 private:
  std::string path_;
  std::filesystem::path folder_;
};

TEST_F(SubprocessTest, TheWorkingDirectoryIsNoPlaceForProgramsEvenIfPathSaysSo) {
  script("echo here");
  for (const std::string path : {":/usr/bin", "/usr/bin:", "/usr/bin::/bin", ".:/usr/bin", ""}) {
    const Surroundings changed(path, folder_);
    const auto result = run_program("program", {}, {}, {});
    ASSERT_FALSE(result) << path;
    EXPECT_THAT(result.error().message(), HasSubstr("executable program not found"));
  }
  const Surroundings changed("/nowhere:" + folder_ + ":/usr/bin:/bin", "/");
  EXPECT_EQ(run_program("program", {}, {}, {}).value().output, "here\n");
}

}  // namespace
}  // namespace kubexx::rest
