#include "apiserver/http/codecs.hpp"

#include <algorithm>

#include "apiserver/http/status.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"

namespace kubexx::apiserver {

Result<meta::Object> decode_body(Format format, std::string_view body) {
  switch (format) {
    case Format::Json:
      return meta::parse_json(body);
    case Format::Yaml:
      return meta::parse_yaml_document(body);
    case Format::Protobuf:
      return codec::parse_protobuf(body);
  }
  return unsupported_media_type();
}

Result<std::string> encode_body(Format format, const meta::Object& object) {
  if (format == Format::Protobuf) return codec::to_protobuf(object, codec::UnknownFields::Drop);
  if (format == Format::Yaml) return meta::to_yaml(object, meta::YamlKeys::Sorted);
  std::string out;
  meta::append_json(out, object.root());
  out += '\n';
  return out;
}

std::string watch_frame(Format format, std::string_view type, std::string_view encoded) {
  if (format == Format::Protobuf) return codec::protobuf_watch_frame(type, encoded);
  std::string out;
  if (format == Format::Yaml) {
    out.append("object:\n");
    std::size_t at = 0;
    while (at < encoded.size()) {
      const std::size_t end = std::min(encoded.find('\n', at), encoded.size());
      out.append("  ").append(encoded.substr(at, end - at)).append(1, '\n');
      at = end + 1;
    }
    return out.append("type: ").append(type).append("\n---\n");
  }
  out.reserve(type.size() + encoded.size() + 24);
  out.append("{\"type\":\"").append(type).append("\",\"object\":").append(encoded).append("}\n");
  return out;
}

Result<std::string> encode_watched(Format format, const meta::Object& object) {
  if (format != Format::Json) return encode_body(format, object);
  std::string out;
  meta::append_json(out, object.root());
  return out;
}

}  // namespace kubexx::apiserver
