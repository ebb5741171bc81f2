#include "codec/protobuf_walker.hpp"
#include "kubexx/codec/protobuf.hpp"

namespace kubexx::codec {

bool has_protobuf(std::string_view api_version, std::string_view kind) {
  return find_message(api_version, kind) != nullptr;
}

struct KUBEXX_HIDDEN ProtobufDecoder::Impl {
  explicit Impl(meta::DecodeOptions options) : walker(std::move(options)) {}
  ProtobufWalker walker;
};

ProtobufDecoder::ProtobufDecoder(meta::DecodeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
ProtobufDecoder::~ProtobufDecoder() = default;
ProtobufDecoder::ProtobufDecoder(ProtobufDecoder&&) noexcept = default;
ProtobufDecoder& ProtobufDecoder::operator=(ProtobufDecoder&&) noexcept = default;

Result<meta::Object> ProtobufDecoder::decode(std::string_view body) {
  return impl_->walker.decode(body);
}

meta::DecodeOptions& ProtobufDecoder::options() noexcept {
  return impl_->walker.options();
}

Result<meta::Object> parse_protobuf(std::string_view body, const meta::DecodeOptions& options) {
  return ProtobufDecoder(options).decode(body);
}

}  // namespace kubexx::codec
