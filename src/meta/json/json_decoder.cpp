#include "kubexx/meta/json.hpp"
#include "meta/json/json_walker.hpp"

namespace kubexx::meta {

struct KUBEXX_HIDDEN JsonDecoder::Impl {
  explicit Impl(DecodeOptions options) : walker(std::move(options)) {}
  detail::JsonWalker walker;
};

JsonDecoder::JsonDecoder(DecodeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
JsonDecoder::~JsonDecoder() = default;
JsonDecoder::JsonDecoder(JsonDecoder&&) noexcept = default;
JsonDecoder& JsonDecoder::operator=(JsonDecoder&&) noexcept = default;

Result<Object> JsonDecoder::decode(std::string_view json) {
  return impl_->walker.decode(json);
}

DecodeOptions& JsonDecoder::options() noexcept {
  return impl_->walker.options();
}

Result<Object> parse_json(std::string_view json, const DecodeOptions& options) {
  return JsonDecoder(options).decode(json);
}

Object object_from_json(std::string_view json) {
  DecodeOptions options;
  options.duplicates = DuplicateKeys::Reject;
  return parse_json(json, options).value();
}

}  // namespace kubexx::meta
