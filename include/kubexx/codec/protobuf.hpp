#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::codec {

/// What is asked for and sent.
inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

/// Whether objects of this kind can be read and written as protobuf: every built-in one.
KUBEXX_EXPORT bool has_protobuf(std::string_view api_version, std::string_view kind);

/// Turns protobuf bodies of the API (application/vnd.kubernetes.protobuf) into the Object that their JSON would give;
/// only apiVersion and kind of objects inside an object are not on the wire. Keeps its buffers between calls.
///
/// Field numbers that the schema does not know cannot be kept: an object that had one is marked as Transformed and its
/// projection_name() says which, so that it is not sent back as a whole.
///
/// Threads: one at a time: one decoder per thread or strand.
/// Errors: malformed bytes, unknown kinds, limits of the options.
/// Example:
///
///     codec::ProtobufDecoder decoder;
///     auto body = codec::to_protobuf(object);
///     if (!body) complain(body.error());
///     if (auto same = decoder.decode(*body)) greet(same->name());
class KUBEXX_EXPORT ProtobufDecoder {
 public:
  explicit ProtobufDecoder(meta::DecodeOptions options = {});
  ~ProtobufDecoder();
  ProtobufDecoder(ProtobufDecoder&&) noexcept;
  ProtobufDecoder& operator=(ProtobufDecoder&&) noexcept;
  /// A whole body, "k8s\0" and what follows.
  Result<meta::Object> decode(std::string_view body);
  meta::DecodeOptions& options() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One object of such a body.
KUBEXX_EXPORT Result<meta::Object> parse_protobuf(std::string_view body, const meta::DecodeOptions& options = {});

/// What to do with fields of an object that its type does not have.
enum class UnknownFields : std::uint8_t { Reject, Drop };

/// The object as a protobuf body. Fields of the wrong type are an Error that names the path. apiVersion and kind of
/// objects inside the object are not written: protobuf has no place for them.
KUBEXX_EXPORT Result<std::string> to_protobuf(const meta::Object& object,
                                              UnknownFields unknown = UnknownFields::Reject);
/// One frame of a watch stream around a body that to_protobuf() made.
KUBEXX_EXPORT std::string protobuf_watch_frame(std::string_view type, std::string_view body);

}  // namespace kubexx::codec
