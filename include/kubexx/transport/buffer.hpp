#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/base/export.hpp"

namespace kubexx::transport {

class BufferPool;

/// Bytes of an answer, owned by whoever has them. Those of a pool go back to it.
///
/// Threads: one at a time; it may be made on one and end on another.
/// Errors: none; what needs memory may throw std::bad_alloc.
/// Example:
///
///     transport::Buffer piece(std::string("some bytes"));
///     greet(piece.bytes());
class KUBEXX_EXPORT Buffer {
 public:
  Buffer() = default;
  Buffer(std::string bytes) : bytes_(std::move(bytes)) {}  // NOLINT(google-explicit-constructor): it is one
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&& other) noexcept {
    give_back();
    bytes_ = std::move(other.bytes_);
    pool_ = std::move(other.pool_);
    return *this;
  }
  ~Buffer() { give_back(); }

  /// What is in it.
  std::string_view bytes() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return bytes_.size(); }
  bool empty() const noexcept { return bytes_.empty(); }
  /// How many bytes can be appended in place.
  std::size_t room() const noexcept { return bytes_.capacity() - bytes_.size(); }
  void append(std::string_view more) { bytes_.append(more); }

 private:
  friend class BufferPool;
  void give_back() noexcept;

  std::string bytes_;
  std::shared_ptr<BufferPool> pool_;  // null: of the heap
};

}  // namespace kubexx::transport
