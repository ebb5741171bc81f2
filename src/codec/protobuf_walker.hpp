#pragma once

#include <string>
#include <string_view>

#include "codec/messages.hpp"
#include "codec/wire.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream.hpp"
#include "meta/internal/document_writer.hpp"
#include "meta/internal/projection.hpp"

namespace kubexx::codec {

/// A body taken apart: what it is, and the bytes of the object.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
  std::string_view content_type;
};

Result<Envelope> open_envelope(std::string_view body);
/// What an object says of itself, before it is read: its metadata is the first field. False: it has none there.
bool read_identity(std::string_view object, meta::ItemIdentity& out);
/// apiVersion and kind out of a TypeMeta.
bool read_type_meta(std::string_view bytes, Envelope& out);

/// One walk over the bytes of a message that writes a document: what the decoder and the stream readers share.
///
/// Fields are written in the order of the wire. Protobuf lets parts of one field stand apart, which no server does: the
/// walk then starts again and gathers the parts of each field (gather_), at the price of a scan per field.
class ProtobufWalker {
 public:
  explicit ProtobufWalker(meta::DecodeOptions options) : options_(std::move(options)), json_(json_options()) {}

  meta::DecodeOptions& options() noexcept { return options_; }
  /// The next piece of a stream has so many bytes: in bulk, parts that came before are recognised by their bytes.
  void expect(std::size_t piece_size) { writer_.sharing().expect_piece(piece_size); }
  void expect_nothing() { writer_.sharing().recognise_repeats(false); }
  /// A whole body.
  Result<meta::Object> decode(std::string_view body, const meta::Projection& projection);
  Result<meta::Object> decode(std::string_view body) { return decode(body, options_.projection); }
  /// The bytes of one message. Empty texts: apiVersion and kind are not written.
  Result<meta::Object> decode(const Message& message, std::string_view bytes, std::string_view api_version,
                              std::string_view kind, const meta::Projection& projection);

 private:
  using Node = meta::Projection::Node;
  using Word = meta::detail::Word;

  static meta::DecodeOptions json_options();
  bool fail(const char* message) noexcept;
  bool fail(const Message& message, const Field& field, const char* what);
  bool map_of(const Message& message, std::string_view bytes, int depth, const Node* node, Word& out);
  bool fields(const Message& message, std::string_view bytes, int depth, const Node* node);
  bool plain(const Message& message, const Field& field, WireReader& in, int depth, const Node* node);
  bool plain_value(const Message& message, const Field& field, WireReader& in, int depth, const Node* node, Word& out);
  template <class Read>
  bool run(const Message& message, const Field& field, WireReader& in, int depth, Word& out, const Read& read);
  template <class Read>
  bool part(const Field& field, std::string_view source, int depth, Word& out, const Read& read);
  bool defaults(const Message& message, std::uint64_t missing, const Node* node);
  Word default_of(const Field& field);
  bool one(const Message& message, const Field& field, WireReader& in, WireType type, int depth, const Node* node,
           Word& out, bool& zero);
  bool value(const Message& message, const Field& field, std::string_view bytes, int depth, const Node* node, Word& out,
             bool& zero);
  bool number(const Field& field, std::uint64_t bits, Word& out, bool& zero);
  bool list(const Message& message, const Field& field, WireReader& in, WireType type, int depth, const Node* node);
  bool map(const Message& message, const Field& field, WireReader& in, WireType type, int depth, const Node* node);
  bool map_entry(const Message& message, const Field& field, std::string_view entry, int depth, const Node* node);
  bool next_part(WireReader& in, std::uint32_t number, WireType& type);
  bool merged(const Message& message, const Field& field, WireReader& in, WireType type, int depth, const Node* node,
              Word& out, bool& zero);
  Word text(std::string_view bytes) { return is_ascii(bytes) ? writer_.string(bytes) : odd_text(bytes); }
  Word odd_text(std::string_view bytes);
  meta::detail::Key key_of(const Field& field) {
    return field.id ? meta::detail::known_key(static_cast<std::uint32_t>(*field.id))
                    : writer_.key(field.name.data(), field.name.size());
  }
  std::uint32_t path_below(const Field& field) const noexcept {
    return meta::detail::Habits::below(path_,
                                       field.id ? static_cast<std::uint32_t>(*field.id) : meta::detail::kStrangerStep);
  }
  bool time(std::string_view bytes, bool micro, Word& out, bool& zero);
  bool quantity(std::string_view bytes, Word& out);
  bool int_or_string(std::string_view bytes, Word& out);
  bool json(std::string_view bytes, int depth, Word& out);
  bool schema_or(const Field& field, std::string_view bytes, int depth, const Node* node, Word& out);
  bool items(std::string_view bytes, Word& out);
  void unknown(const Message& message, std::uint32_t number);

  meta::DecodeOptions options_;
  meta::JsonDecoder json_;
  meta::detail::DocumentWriter writer_;
  std::string scratch_;
  std::string fault_;
  std::int64_t last_day_ = 0;  // since 1970, of last_date_
  char last_date_[11] = "1970-01-01";
  std::string unknown_;
  std::uint32_t path_ = 0;  // of the value under way
  bool gather_ = false;
  bool apart_ = false;            // parts of a field stand apart and gather_ is off
  std::string last_api_version_;  // the kind of last_message_
  std::string last_kind_;
  const Message* last_message_ = nullptr;
};

}  // namespace kubexx::codec
