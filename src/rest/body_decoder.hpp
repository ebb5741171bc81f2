#pragma once

#include <memory>
#include <string_view>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream_reader.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::rest {

/// By the answer's Content-Type; a type we cannot read is an Error.
Result<std::unique_ptr<meta::StreamReader>> make_list_reader(const transport::Headers& headers,
                                                             const meta::DecodeOptions& options,
                                                             meta::StreamSink& sink);
Result<std::unique_ptr<meta::StreamReader>> make_watch_reader(const transport::Headers& headers,
                                                              const meta::DecodeOptions& options,
                                                              meta::StreamSink& sink);
Result<meta::Object> decode_body(std::string_view content_type, std::string_view body,
                                 const meta::DecodeOptions& options);

}  // namespace kubexx::rest
