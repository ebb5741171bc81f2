#pragma once

#include "kubexx/base/export.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"

namespace kubexx::meta {

/// Reads a list body (`{"kind":"PodList",...,"items":[...]}`). Items get the list's apiVersion and kind (less "List")
/// when they have none.
///
/// Threads: one at a time, as every StreamReader.
/// Errors: of kind Decode, with the byte and the item; what was delivered before stays delivered. A body that is a
/// failed Status is its Error.
/// Example:
///
///     meta::JsonListReader reader({}, *stream_sink);
///     auto fed = reader.feed(R"({"kind":"PodList","apiVersion":"v1","items":[]})");
///     if (auto list = reader.finish()) greet(list->resource_version);
class KUBEXX_EXPORT JsonListReader final : public StreamReader {
 public:
  JsonListReader(DecodeOptions options, StreamSink& sink);

 private:
  struct Impl;
};

/// Reads a JSON watch stream: events one after another, cut at any byte.
class KUBEXX_EXPORT JsonWatchReader final : public StreamReader {
 public:
  JsonWatchReader(DecodeOptions options, StreamSink& sink);

 private:
  struct Impl;
};

}  // namespace kubexx::meta
