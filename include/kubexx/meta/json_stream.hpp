#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"

namespace kubexx::meta {

/// Reads a list body (`{"kind":"PodList",...,"items":[...]}`). Items get the list's apiVersion and kind (less "List")
/// when they have none.
class JsonListReader final : public StreamReader {
 public:
  JsonListReader(DecodeOptions options, StreamSink& sink);
  ~JsonListReader() override;

 private:
  Result<void> read(std::string_view chunk) override;
  Result<ListMeta> end() override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a JSON watch stream: events one after another, cut at any byte.
class JsonWatchReader final : public StreamReader {
 public:
  JsonWatchReader(DecodeOptions options, StreamSink& sink);
  ~JsonWatchReader() override;
  std::size_t buffered() const noexcept;

 private:
  Result<void> read(std::string_view chunk) override;
  Result<ListMeta> end() override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::meta
