#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"

namespace kubexx::codec {

/// Reads a protobuf list body. Items get the list's apiVersion and kind (less "List").
class ProtobufListReader final : public meta::StreamReader {
 public:
  ProtobufListReader(meta::DecodeOptions options, meta::StreamSink& sink);
  ~ProtobufListReader() override;

 private:
  Result<void> read(std::string_view chunk) override;
  Result<meta::ListMeta> end() override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a protobuf watch stream: length-prefixed frames, cut at any byte.
class ProtobufWatchReader final : public meta::StreamReader {
 public:
  ProtobufWatchReader(meta::DecodeOptions options, meta::StreamSink& sink);
  ~ProtobufWatchReader() override;
  std::size_t buffered() const noexcept;

 private:
  Result<void> read(std::string_view chunk) override;
  Result<meta::ListMeta> end() override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::codec
