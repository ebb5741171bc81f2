#pragma once

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include "stop_descriptor.hpp"

namespace node_agent {

/// Lines of standard input, of bounded length, until its end or the stop. Of a longer line there is the beginning.
class LineReader {
 public:
  static constexpr std::size_t kLongest = 4096;

  explicit LineReader(const std::stop_token& stop) : stop_(stop) {}

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
    std::array<pollfd, 2> either{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{stop_.fd(), POLLIN, 0}};
    while (poll(either.data(), either.size(), -1) < 0) {
      if (errno != EINTR) return false;
    }
    if (either[1].revents != 0) return false;
    const auto count = read(STDIN_FILENO, buffer_.data(), buffer_.size());
    at_ = 0;
    size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    return count > 0;
  }

  StopDescriptor stop_;
  std::array<char, 4096> buffer_{};
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

}  // namespace node_agent
