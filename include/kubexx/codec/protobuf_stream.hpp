#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kubexx/base/function.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/watch_event.hpp"

namespace kubexx::codec {

/// Reads a protobuf list body from chunks of any size and hands over one item at a time without holding the body. Items
/// get the list's apiVersion and kind (less "List").
class ProtobufListReader {
 public:
  using ItemSink = UniqueFunction<void(meta::Object)>;
  ProtobufListReader(meta::DecodeOptions options, ItemSink sink);
  ~ProtobufListReader();
  Result<void> feed(std::string_view chunk);
  /// The body ended: the list's kind and metadata, or an Error when it is truncated.
  Result<meta::ListMeta> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a protobuf watch stream: length-prefixed frames, cut at any byte.
class ProtobufWatchReader {
 public:
  using EventSink = UniqueFunction<void(meta::WatchEvent)>;
  ProtobufWatchReader(meta::DecodeOptions options, EventSink sink);
  ~ProtobufWatchReader();
  /// An Error ends the stream: what follows cannot be trusted.
  Result<void> feed(std::string_view chunk);
  /// The stream ended; an Error when it ended inside a frame.
  Result<void> finish();
  std::size_t buffered() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::codec
