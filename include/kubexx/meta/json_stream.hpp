#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kubexx/base/function.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/watch_event.hpp"

namespace kubexx::meta {

/// Reads a list body (`{"kind":"PodList",...,"items":[...]}`) from chunks of any size and hands over one item at a time
/// without holding the body. Items get the list's apiVersion and kind (less "List") when they have none.
class JsonListReader {
 public:
  using ItemSink = UniqueFunction<void(Object)>;
  JsonListReader(DecodeOptions options, ItemSink sink);
  ~JsonListReader();
  Result<void> feed(std::string_view chunk);
  /// The body ended: the list's kind and metadata, or an Error when it is truncated.
  Result<ListMeta> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a JSON watch stream: events one after another, cut at any byte.
class JsonWatchReader {
 public:
  using EventSink = UniqueFunction<void(WatchEvent)>;
  JsonWatchReader(DecodeOptions options, EventSink sink);
  ~JsonWatchReader();
  /// An Error ends the stream: what follows cannot be trusted.
  Result<void> feed(std::string_view chunk);
  /// The stream ended; an Error when it ended inside an event.
  Result<void> finish();
  std::size_t buffered() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::meta
