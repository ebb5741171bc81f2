#pragma once

#include <zlib.h>

#include <string_view>

#include "kubexx/base/result.hpp"

namespace kubexx::transport {

/// Inflates a gzip body step by step, so that a small input which inflates to a huge output never sits in memory.
class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Takes from the front of `input` and returns the next piece of output, valid until the next call. An empty piece:
  /// more input is needed.
  Result<std::string_view> step(std::string_view& input);
  /// More output is waiting even without more input.
  bool pending() const noexcept { return pending_; }
  /// The body may end here.
  bool complete() const noexcept { return member_ended_ || !started_; }

 private:
  static constexpr std::size_t kPiece = 64 * 1024;
  z_stream stream_{};
  bool usable_ = false;
  bool started_ = false;
  bool member_ended_ = false;
  bool pending_ = false;
  char output_[kPiece];
};

}  // namespace kubexx::transport
