#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/watch_event.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::rest {

/// Reads a list body as it arrives; one implementation a content type.
class ListReader {
 public:
  virtual ~ListReader() = default;
  virtual Result<void> feed(std::string_view bytes) = 0;
  virtual Result<meta::ListMeta> finish() = 0;
};

class WatchReader {
 public:
  virtual ~WatchReader() = default;
  virtual Result<void> feed(std::string_view bytes) = 0;
  virtual Result<void> finish() = 0;
};

/// By the answer's Content-Type; a type we cannot read is an Error.
Result<std::unique_ptr<ListReader>> make_list_reader(const transport::Headers& headers,
                                                     const meta::DecodeOptions& options,
                                                     UniqueFunction<void(meta::Object)> item);
Result<std::unique_ptr<WatchReader>> make_watch_reader(const transport::Headers& headers,
                                                       const meta::DecodeOptions& options,
                                                       UniqueFunction<void(meta::WatchEvent)> event);
Result<meta::Object> decode_body(std::string_view content_type, std::string_view body,
                                 const meta::DecodeOptions& options);

}  // namespace kubexx::rest
