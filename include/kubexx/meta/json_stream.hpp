#pragma once

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"

namespace kubexx::meta {

/// Reads a list body (`{"kind":"PodList",...,"items":[...]}`). Items get the list's apiVersion and kind (less "List")
/// when they have none.
class JsonListReader final : public StreamReader {
 public:
  JsonListReader(DecodeOptions options, StreamSink& sink);

 private:
  struct Impl;
};

/// Reads a JSON watch stream: events one after another, cut at any byte.
class JsonWatchReader final : public StreamReader {
 public:
  JsonWatchReader(DecodeOptions options, StreamSink& sink);

 private:
  struct Impl;
};

}  // namespace kubexx::meta
