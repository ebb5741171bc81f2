#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kubexx/transport/buffer.hpp"

namespace kubexx::transport {

/// Buffers that are filled on the I/O thread and read elsewhere, again and again the same ones, so that a long download
/// touches no new memory. There is always another one; as many are kept as were needed at once, until trim().
///
/// Threads: safe from any thread.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  static constexpr std::size_t kBytes = 64 * 1024;  // of a buffer

  Buffer take();
  /// A download ended: a few are enough.
  void trim() noexcept;

 private:
  friend class Buffer;
  static constexpr std::size_t kFew = 4;    // 256 KB
  static constexpr std::size_t kMost = 80;  // what a long download may have under way; others go to the heap
  void put(std::string bytes) noexcept;

  std::mutex mutex_;
  std::vector<std::string> free_;  // guarded by mutex_
  std::size_t in_use_ = 0;         // guarded by mutex_
  std::size_t kept_ = kFew;        // guarded by mutex_; at most so many, with those in use
};

}  // namespace kubexx::transport
