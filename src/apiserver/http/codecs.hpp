#pragma once

#include <string>
#include <string_view>

#include "apiserver/http/negotiate.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// The text of a request body as a document.
Result<meta::Object> decode_body(Format format, std::string_view body);
/// One whole answer. JSON ends in a newline, as the server's answers do.
Result<std::string> encode_body(Format format, const meta::Object& object);
/// One frame of a watch stream around an object that encode_watched() made.
std::string watch_frame(Format format, std::string_view type, std::string_view encoded);
Result<std::string> encode_watched(Format format, const meta::Object& object);

}  // namespace kubexx::apiserver
