#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/internal/descriptor.hpp"

namespace kubexx::test {

/// A descriptor that is readable when somebody says so.
class Bell {
 public:
  int fd() const { return event_.get(); }
  void ring() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(write(fd(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  /// What is read is not readable any more.
  void hear() const {
    std::uint64_t heard = 0;
    [[maybe_unused]] const auto bytes = read(fd(), &heard, sizeof heard);
  }

 private:
  const Descriptor event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace kubexx::test
