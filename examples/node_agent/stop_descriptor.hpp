#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <stop_token>

namespace node_agent {

/// A descriptor that becomes readable with the stop, for poll().
class StopDescriptor {
 public:
  explicit StopDescriptor(const std::stop_token& stop)
      : on_stop_(stop, [fd = opened_.fd] {
          const std::uint64_t one = 1;
          if (write(fd, &one, sizeof one) < 0) return;  // a full counter wakes too
        }) {}
  int fd() const { return opened_.fd; }

 private:
  struct Opened {
    Opened() = default;
    ~Opened() { close(fd); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    const int fd = eventfd(0, EFD_CLOEXEC);
  };
  Opened opened_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace node_agent
