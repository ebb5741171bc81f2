#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace node_agent {

/// Lines of standard input, of bounded length, until its end or the stop. Of a longer line there is the beginning.
class LineReader {
 public:
  static constexpr std::size_t kLongest = 4096;

  explicit LineReader(const std::stop_token& stop)
      : on_stop_(stop, [fd = wake_.fd] {
          const std::uint64_t one = 1;
          if (write(fd, &one, sizeof one) < 0) return;  // a full counter wakes too
        }) {}

  std::optional<std::string> next() {
    std::string line;
    while (true) {
      for (; at_ < size_; ++at_) {
        if (buffer_[at_] == '\n') return ++at_, line;
        if (line.size() < kLongest) line += buffer_[at_];
      }
      if (!fill()) return line.empty() ? std::nullopt : std::optional(line);
    }
  }

 private:
  bool fill() {
    std::array<pollfd, 2> either{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake_.fd, POLLIN, 0}};
    while (poll(either.data(), either.size(), -1) < 0) {
      if (errno != EINTR) return false;
    }
    if (either[1].revents != 0) return false;
    const auto count = read(STDIN_FILENO, buffer_.data(), buffer_.size());
    at_ = 0;
    size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    return count > 0;
  }

  struct Wake {
    Wake() = default;
    ~Wake() { close(fd); }
    Wake(const Wake&) = delete;
    Wake& operator=(const Wake&) = delete;
    const int fd = eventfd(0, EFD_CLOEXEC);
  };

  Wake wake_;
  std::array<char, 4096> buffer_{};
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace node_agent
