#pragma once

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"

namespace kubexx::codec {

/// Reads a protobuf list body. Items get the list's apiVersion and kind (less "List").
class ProtobufListReader final : public meta::StreamReader {
 public:
  ProtobufListReader(meta::DecodeOptions options, meta::StreamSink& sink);

 private:
  struct Impl;
};

/// Reads a protobuf watch stream: length-prefixed frames, cut at any byte.
class ProtobufWatchReader final : public meta::StreamReader {
 public:
  ProtobufWatchReader(meta::DecodeOptions options, meta::StreamSink& sink);

 private:
  struct Impl;
};

}  // namespace kubexx::codec
