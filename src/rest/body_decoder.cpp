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

template <class Reader>
class List final : public ListReader {
 public:
  List(const meta::DecodeOptions& options, UniqueFunction<void(meta::Object)> item)
      : reader_(options, std::move(item)) {}
  Result<void> feed(std::string_view bytes) override { return reader_.feed(bytes); }
  Result<meta::ListMeta> finish() override { return reader_.finish(); }

 private:
  Reader reader_;
};

template <class Reader>
class Watch final : public WatchReader {
 public:
  Watch(const meta::DecodeOptions& options, UniqueFunction<void(meta::WatchEvent)> event)
      : reader_(options, std::move(event)) {}
  Result<void> feed(std::string_view bytes) override { return reader_.feed(bytes); }
  Result<void> finish() override { return reader_.finish(); }

 private:
  Reader reader_;
};

}  // namespace

Result<std::unique_ptr<ListReader>> make_list_reader(const transport::Headers& headers,
                                                     const meta::DecodeOptions& options,
                                                     UniqueFunction<void(meta::Object)> item) {
  const auto type = content_type_of(headers);
  switch (media_type(type)) {
    case MediaType::Json:
      return std::unique_ptr<ListReader>(new List<meta::JsonListReader>(options, std::move(item)));
    case MediaType::Protobuf:
      return std::unique_ptr<ListReader>(new List<codec::ProtobufListReader>(options, std::move(item)));
    default:
      return unreadable(type);
  }
}

Result<std::unique_ptr<WatchReader>> make_watch_reader(const transport::Headers& headers,
                                                       const meta::DecodeOptions& options,
                                                       UniqueFunction<void(meta::WatchEvent)> event) {
  const auto type = content_type_of(headers);
  switch (media_type(type)) {
    case MediaType::Json:
      return std::unique_ptr<WatchReader>(new Watch<meta::JsonWatchReader>(options, std::move(event)));
    case MediaType::Protobuf:
      return std::unique_ptr<WatchReader>(new Watch<codec::ProtobufWatchReader>(options, std::move(event)));
    default:
      return unreadable(type);
  }
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
