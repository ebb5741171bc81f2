#include "kubexx/base/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "kubexx/base/deadline.hpp"

namespace kubexx {
namespace {

constexpr std::chrono::milliseconds kGlance(50);  // how often a stop is looked for while nothing comes

Error failure(const std::string& path, int code) {
  if (code == ENOENT) return Error::config(path + ": no such file");
  return Error::config(path + ": cannot be read: " + std::generic_category().message(code));
}

}  // namespace

InputFile::InputFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
InputFile::InputFile(InputFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}
InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

Result<InputFile> InputFile::open(const std::string& path) {
  // Without O_NONBLOCK a named pipe is opened when somebody else opens it to write, which may be never.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return failure(path, errno);
  InputFile file(fd, path);
  struct stat info{};
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) return Error::config(path + ": is a directory");
  return file;
}

Result<std::size_t> InputFile::read(std::span<char> into, TimePoint deadline, const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return Error::canceled("reading " + path_ + " was stopped");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::system().now());
    // A read alone would find an end where nobody has begun to write to a pipe yet.
    pollfd ready{fd_, POLLIN, 0};
    const auto wait = std::clamp<std::chrono::milliseconds>(left, std::chrono::milliseconds(0), kGlance);
    const int found = poll(&ready, 1, static_cast<int>(wait.count()));
    if (found < 0 && errno != EINTR) return failure(path_, errno);
    if (found <= 0) {
      if (left <= std::chrono::milliseconds(0)) return Error::timeout(path_ + ": nothing came, and no end");
      continue;
    }
    const auto count = ::read(fd_, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) return failure(path_, errno);
  }
}

Result<std::string> read_file(const std::string& path, const FileLimits& limits) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  const auto deadline = detail::after(Clock::system().now(), limits.patience);
  std::string text;
  std::array<char, 1 << 14> buffer;
  while (true) {
    const auto count = file->read(buffer, deadline);
    if (!count) return count.error();
    if (*count == 0) return text;
    if (*count > limits.bytes - text.size()) {
      return Error::config(path + ": larger than " + std::to_string(limits.bytes >> 20) + " MB");
    }
    text.append(buffer.data(), *count);
  }
}

bool file_readable(const std::string& path) noexcept {
  return access(path.c_str(), R_OK) == 0;
}

}  // namespace kubexx
