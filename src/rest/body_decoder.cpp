#include "rest/body_decoder.hpp"

#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "kubexx/meta/status.hpp"

namespace kubexx::rest {
namespace {

enum class MediaType { Json, Protobuf, Other };

MediaType media_type(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (type.empty() || type == "application/json") return MediaType::Json;
  if (type == codec::kProtobufMediaType) return MediaType::Protobuf;
  return MediaType::Other;
}

std::string_view content_type_of(const transport::Headers& headers) {
  const auto* type = headers.find("Content-Type");
  return type ? std::string_view(*type) : std::string_view();
}

Error unreadable(std::string_view content_type) {
  return Error::decode("the answer's content type is neither JSON nor protobuf: " +
                       std::string(content_type.substr(0, 100)));
}

template <class Json, class Protobuf>
Result<std::unique_ptr<meta::StreamReader>> make_reader(const transport::Headers& headers,
                                                        const meta::DecodeOptions& options, meta::StreamSink& sink) {
  const auto type = content_type_of(headers);
  switch (media_type(type)) {
    case MediaType::Json:
      return std::unique_ptr<meta::StreamReader>(new Json(options, sink));
    case MediaType::Protobuf:
      return std::unique_ptr<meta::StreamReader>(new Protobuf(options, sink));
    default:
      return unreadable(type);
  }
}

}  // namespace

Result<std::unique_ptr<meta::StreamReader>> make_list_reader(const transport::Headers& headers,
                                                             const meta::DecodeOptions& options,
                                                             meta::StreamSink& sink) {
  return make_reader<meta::JsonListReader, codec::ProtobufListReader>(headers, options, sink);
}

Result<std::unique_ptr<meta::StreamReader>> make_watch_reader(const transport::Headers& headers,
                                                              const meta::DecodeOptions& options,
                                                              meta::StreamSink& sink) {
  return make_reader<meta::JsonWatchReader, codec::ProtobufWatchReader>(headers, options, sink);
}

Result<meta::Object> decode_body(std::string_view content_type, std::string_view body,
                                 const meta::DecodeOptions& options) {
  if (body.empty()) return Error::decode("the answer is empty");
  switch (media_type(content_type)) {
    case MediaType::Json:
      return meta::parse_json(body, options);
    case MediaType::Protobuf:
      return codec::parse_protobuf(body, options);
    default:
      return unreadable(content_type);
  }
}

Result<meta::Object> Response::object(const meta::DecodeOptions& options) const {
  auto object = decode_body(content_type_of(headers), body, options);
  if (object && meta::is_status(*object) && (*object)["status"].string() == "Failure") {
    return meta::error_from_status(*object, status);
  }
  return object;
}

}  // namespace kubexx::rest
