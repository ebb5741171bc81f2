// The main function of every test program. A test that leaves a thread, an open descriptor or a child process behind
// has failed, whatever it asserted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <filesystem>
#include <string>
#include <thread>

#include "kubexx/base/log.hpp"

namespace {

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) ++count;
  return count;
}

bool has_child() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

class Leftovers final : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override {
    threads_ = entries("/proc/self/task");
    descriptors_ = entries("/proc/self/fd");
  }

  void OnTestEnd(const testing::TestInfo&) override {
    const auto clean = [&] {
      return entries("/proc/self/task") <= threads_ && entries("/proc/self/fd") <= descriptors_ && !has_child();
    };
    // A joined thread stays in /proc for a moment, which is long on a busy machine.
    for (int turn = 0; turn < 30'000 && !clean(); ++turn) poll(nullptr, 0, 1);
    if (const auto now = entries("/proc/self/task"); now > threads_) {
      ADD_FAILURE() << "the test left " << now - threads_ << " threads behind";
    }
    if (const auto now = entries("/proc/self/fd"); now > descriptors_) {
      std::string which;
      std::error_code error;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
        which += " " + std::filesystem::read_symlink(entry.path(), error).string();
      }
      ADD_FAILURE() << "the test left " << now - descriptors_ << " descriptors open; all:" << which;
    }
    if (has_child()) ADD_FAILURE() << "the test left a child process behind";
  }

 private:
  std::size_t threads_ = 0;
  std::size_t descriptors_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  kubexx::set_log_sink(nullptr);  // the faults that tests inject are no news; those that look at lines set a sink
  std::thread([] {}).join();      // ThreadSanitizer starts a thread of its own with the first one
  testing::UnitTest::GetInstance()->listeners().Append(new Leftovers);  // ends of tests are told in reverse order
  return RUN_ALL_TESTS();
}
