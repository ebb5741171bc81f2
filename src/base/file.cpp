#include "base/internal/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/internal/deadline.hpp"
#include "base/internal/wipe.hpp"

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
  InputFile file(-1, path);  // before there is something to lose
  file.fd_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file.fd_ < 0) return failure(path, errno);
  struct stat info{};
  if (fstat(file.fd_, &info) == 0 && S_ISDIR(info.st_mode)) return Error::config(path + ": is a directory");
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
  // It may be a token or a key: no copy stays but the one that is returned.
  std::string text;
  std::string buffer(1 << 14, '\0');
  const WipedInTheEnd wiped(buffer);
  while (true) {
    const auto count = file->read(buffer, deadline);
    if (!count) return count.error();
    if (*count == 0) return text;
    if (*count > limits.bytes - text.size()) {
      return Error::config(path + ": larger than " + std::to_string(limits.bytes >> 20) + " MB");
    }
    append_secret(text, std::string_view(buffer).substr(0, *count));
  }
}

Result<void> replace_file(const std::string& path, std::string_view text) {
  const auto failed = [&path](int code) {
    return Error::config(path + ": cannot be written: " + std::generic_category().message(code));
  };
  struct stat info{};
  if (lstat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) return Error::config(path + ": cannot be written: it is no regular file");
  } else if (errno != ENOENT) {
    return failed(errno);
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);  // mode 0600, and nobody's but ours
  if (fd < 0) return failed(errno);
  int failure = 0;
  while (!text.empty() && failure == 0) {
    const auto count = write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) failure = errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (failure == 0 && fsync(fd) != 0) failure = errno;
  if (close(fd) != 0 && failure == 0) failure = errno;
  if (failure == 0 && rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return {};
  unlink(temporary.c_str());
  return failed(failure);
}

bool file_readable(const std::string& path) noexcept {
  return access(path.c_str(), R_OK) == 0;
}

}  // namespace kubexx
