#pragma once

#include "kubexx/base/export.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"

namespace kubexx::codec {

/// Reads a protobuf list body. Items get the list's apiVersion and kind (less "List").
///
/// Threads: one at a time, as every StreamReader.
/// Errors: of kind Decode; what was delivered before stays delivered.
/// Example:
///
///     codec::ProtobufListReader reader({}, *stream_sink);
///     if (auto fed = reader.feed(bytes); !fed) complain(fed.error());
///     if (auto list = reader.finish()) greet(list->resource_version);
class KUBEXX_EXPORT ProtobufListReader final : public meta::StreamReader {
 public:
  ProtobufListReader(meta::DecodeOptions options, meta::StreamSink& sink);

 private:
  struct Impl;
};

/// Reads a protobuf watch stream: length-prefixed frames, cut at any byte.
class KUBEXX_EXPORT ProtobufWatchReader final : public meta::StreamReader {
 public:
  ProtobufWatchReader(meta::DecodeOptions options, meta::StreamSink& sink);

 private:
  struct Impl;
};

}  // namespace kubexx::codec
