#include "base/internal/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace kubexx {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A folder that goes with the test.
class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }
  std::string write(std::string_view text) const {
    std::ofstream(folder_ + "/file") << text;
    return folder_ + "/file";
  }
  std::string pipe() const {
    const auto path = folder_ + "/pipe";
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  std::string folder_;
};

TEST_F(FileTest, AFileIsReadToItsEnd) {
  const std::string text(100'000, 'x');

  EXPECT_EQ(read_file(write(text)).value(), text);
  EXPECT_EQ(read_file(write("")).value(), "");
}

TEST_F(FileTest, AFileOfExactlyTheLimitIsTakenAndAByteMoreIsNot) {
  EXPECT_TRUE(read_file(write("1234"), {.bytes = 4}));
  EXPECT_THAT(read_file(write("12345"), {.bytes = 4}).error().message(), HasSubstr("larger than"));
}

TEST_F(FileTest, ADeviceWithoutAnEndIsLargerThanTheLimit) {
  EXPECT_THAT(read_file("/dev/zero").error().message(), HasSubstr("/dev/zero: larger than 8 MB"));
}

TEST_F(FileTest, APipeThatNobodyWritesToIsGivenUp) {
  const auto error = read_file(pipe(), {.patience = 20ms}).error();

  EXPECT_TRUE(error.is_timeout());
  EXPECT_THAT(error.message(), HasSubstr("pipe: nothing came"));
}

TEST_F(FileTest, APipeWhoseWriterStaysSilentIsGivenUp) {
  const auto path = pipe();
  const std::fstream both(path, std::ios::in | std::ios::out);  // a writer that does not wait for a reader

  EXPECT_TRUE(read_file(path, {.patience = 20ms}).error().is_timeout());
}

TEST_F(FileTest, WhatAWriterPutsIntoAPipeIsRead) {
  const auto path = pipe();
  const std::jthread writer([&] { std::ofstream(path) << "through a pipe"; });

  EXPECT_EQ(read_file(path).value(), "through a pipe");
}

TEST_F(FileTest, AStopEndsTheWaitForAPipe) {
  auto file = InputFile::open(pipe()).value();
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  std::array<char, 8> buffer{};

  EXPECT_TRUE(file.read(buffer, TimePoint::max(), stop.get_token()).error().is_canceled());
}

TEST_F(FileTest, AReplacedFileIsReadableByNobodyElse) {
  const auto path = write("before");
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);

  EXPECT_TRUE(replace_file(path, "after"));
  EXPECT_TRUE(replace_file(folder_ + "/new", "new"));

  EXPECT_EQ(read_file(path).value(), "after");
  EXPECT_EQ(read_file(folder_ + "/new").value(), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

TEST_F(FileTest, OnlyARegularFileIsReplaced) {
  std::filesystem::create_symlink(write("before"), folder_ + "/link");

  for (const auto& path : {folder_ + "/link", pipe(), folder_, std::string("/dev/full")}) {
    EXPECT_THAT(replace_file(path, "after").error().message(), HasSubstr(path + ": cannot be written"));
  }

  EXPECT_EQ(read_file(folder_ + "/file").value(), "before");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/link"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(FileTest, WhatCannotBeReadSaysWhy) {
  EXPECT_THAT(read_file(folder_).error().message(), HasSubstr("is a directory"));
  EXPECT_THAT(read_file(folder_ + "/missing").error().message(), HasSubstr("missing: no such file"));
  EXPECT_THAT(read_file(folder_ + "/" + std::string(300, 'x')).error().message(), HasSubstr("File name too long"));
}

}  // namespace
}  // namespace kubexx
