#include "codec/protobuf_walker.hpp"

#include <bit>
#include <cmath>
#include <optional>

#include "base/internal/base64.hpp"
#include "base/internal/buffer.hpp"

namespace kubexx::codec {

using meta::detail::Tag;
using meta::detail::word_of;

bool read_type_meta(std::string_view bytes, Envelope& out) {
  WireReader in(bytes);
  while (!in.done()) {
    std::uint32_t number = 0;
    WireType type{};
    if (!in.tag(number, type)) return false;
    if (type == WireType::Bytes && (number == 1 || number == 2)) {
      if (!in.bytes(number == 1 ? out.api_version : out.kind)) return false;
    } else if (!in.skip(type)) {
      return false;
    }
  }
  return true;
}

bool read_identity(std::string_view object, meta::ItemIdentity& out) {
  WireReader in(object);
  std::uint32_t number = 0;
  WireType type{};
  std::string_view metadata;
  if (!in.tag(number, type) || number != 1 || type != WireType::Bytes || !in.bytes(metadata)) return false;
  WireReader fields(metadata);  // of an ObjectMeta
  while (!fields.done()) {
    if (!fields.tag(number, type)) return false;
    std::string_view* const wanted = number == 1   ? &out.name
                                     : number == 3 ? &out.namespace_
                                     : number == 5 ? &out.uid
                                     : number == 6 ? &out.resource_version
                                                   : nullptr;
    if (wanted != nullptr && type == WireType::Bytes ? !fields.bytes(*wanted) : !fields.skip(type)) return false;
  }
  return !out.name.empty() && !out.uid.empty() && !out.resource_version.empty();
}

Result<Envelope> open_envelope(std::string_view body) {
  if (!body.starts_with(kMagic)) return Error::decode("protobuf: the body does not begin with the bytes of \"k8s\"");
  const auto malformed = [] { return Error::decode("protobuf: malformed envelope"); };
  Envelope out;
  bool has_object = false;
  WireReader in(body.substr(kMagic.size()));
  while (!in.done()) {
    std::uint32_t number = 0;
    WireType type{};
    std::string_view payload;
    if (!in.tag(number, type)) return malformed();
    if (type != WireType::Bytes) {
      if (!in.skip(type)) return malformed();
      continue;
    }
    if (!in.bytes(payload)) return malformed();
    if (number == 1 && !read_type_meta(payload, out)) return malformed();
    if (number == 2) {
      out.raw = payload;
      has_object = true;
    }
    if (number == 3 && !payload.empty()) return Error::decode("protobuf: the body has a content encoding");
    if (number == 4) out.content_type = payload;
  }
  if (!has_object) return Error::decode("protobuf: the body has no object");
  return out;
}

meta::DecodeOptions ProtobufWalker::json_options() {
  meta::DecodeOptions options;
  options.max_bytes = std::size_t{1} << 28;  // a part of an object that is within its limit
  return options;
}

bool ProtobufWalker::fail(const char* message) noexcept {
  fault_ = message;
  return false;
}

bool ProtobufWalker::fail(const Message& message, const Field& field, const char* what) {
  fault_ = message.name;
  if (!field.name.empty()) fault_.append(1, '.').append(field.name);
  fault_.append(": ").append(what);
  return false;
}

void ProtobufWalker::unknown(const Message& message, std::uint32_t number) {
  if (message.name == "meta.v1.ObjectMeta" && number == 15) return;  // clusterName: never set, and gone since 1.24
  if (unknown_.empty()) unknown_ = "unknown field " + std::to_string(number) + " of " + message.name;
}

Result<meta::Object> ProtobufWalker::decode(std::string_view body, const meta::Projection& projection) {
  if (body.size() > options_.max_bytes) {
    return Error::decode("protobuf: " + std::to_string(body.size()) + " bytes, more than the limit of " +
                         std::to_string(options_.max_bytes));
  }
  auto envelope = open_envelope(body);
  if (!envelope) return envelope.error();
  if (envelope->content_type == "application/json") {
    auto options = options_;
    options.projection = projection;
    return meta::parse_json(envelope->raw, options);
  }
  const std::string_view api_version =
      envelope->api_version.empty() ? std::string_view(options_.default_api_version) : envelope->api_version;
  const std::string_view kind = envelope->kind.empty() ? std::string_view(options_.default_kind) : envelope->kind;
  if (last_message_ == nullptr || last_kind_ != kind || last_api_version_ != api_version) {
    last_message_ = find_message(api_version, kind);
    last_kind_ = kind;
    last_api_version_ = api_version;
  }
  if (last_message_ == nullptr) {
    scratch_.clear();
    repair_utf8(kind.substr(0, 100), scratch_);
    scratch_ += " of ";
    repair_utf8(api_version.substr(0, 100), scratch_);
    return Error::decode("protobuf: no built-in type is " + scratch_);
  }
  return decode(*last_message_, envelope->raw, api_version, kind, projection);
}

Result<meta::Object> ProtobufWalker::decode(const Message& message, std::string_view bytes,
                                            std::string_view api_version, std::string_view kind,
                                            const meta::Projection& projection) {
  if (bytes.size() > options_.max_bytes) {
    return Error::decode("protobuf: " + std::to_string(bytes.size()) + " bytes, more than the limit of " +
                         std::to_string(options_.max_bytes));
  }
  if (kind == meta::detail::kPartialObjectMetadata && !options_.default_kind.empty()) {
    api_version = options_.default_api_version;
    kind = options_.default_kind;
  }
  const auto walk = [&](Word& root) {
    unknown_.clear();
    apart_ = false;
    path_ = 1;
    const std::size_t first = writer_.mark();
    if (!api_version.empty()) writer_.push(writer_.key("apiVersion", 10), text(api_version));
    if (!kind.empty()) writer_.push(writer_.key("kind", 4), text(kind));
    if (!fields(message, bytes, 1, projection.tree())) return false;
    root = writer_.close_map(first);
    return true;
  };
  Word root = 0;
  gather_ = false;
  bool read = walk(root);
  if (!read && apart_) {
    writer_.clear();
    gather_ = true;
    read = walk(root);
  }
  if (!read) {
    writer_.clear();
    return Error::decode("protobuf: " + fault_);
  }
  const auto cut = projection.completeness();
  const bool whole = cut == meta::Completeness::Full || cut == meta::Completeness::WithoutManagedFields;
  if (!unknown_.empty()) writer_.sharing().forget_parts();  // who recognises one would not know of it
  if (whole && !unknown_.empty()) {
    writer_.set_cut(meta::Completeness::Transformed, unknown_);
  } else {
    writer_.set_cut(cut, whole ? std::string_view() : projection.name());
  }
  empty_buffer(scratch_);
  return writer_.finish(root);
}

bool ProtobufWalker::map_of(const Message& message, std::string_view bytes, int depth, const Node* node, Word& out) {
  const std::size_t first = writer_.mark();
  if (!fields(message, bytes, depth, node)) return false;
  out = writer_.close_distinct_map(first);  // fields() reads each number once, and a name has one number
  return true;
}

bool ProtobufWalker::fields(const Message& message, std::string_view bytes, int depth, const Node* node) {
  if (depth > options_.max_depth || depth > meta::detail::kMaxNesting) return fail("nested too deeply");
  WireReader in(bytes);
  std::uint64_t seen = 0;
  while (!in.done()) {
    std::uint32_t field_number = 0;
    WireType type{};
    if (!in.tag(field_number, type)) return fail("malformed tag");
    const Field* field = message.find(field_number);
    if (field == nullptr) {
      unknown(message, field_number);
      if (!in.skip(type)) return fail("malformed value of an unknown field");
      continue;
    }
    const std::uint64_t bit = std::uint64_t{1} << (field - message.fields.data());
    if ((seen & bit) != 0) {
      if (!gather_) {
        apart_ = true;
        return fail("parts of a field stand apart");
      }
      if (!in.skip(type)) return fail(message, *field, "malformed value");
      continue;
    }
    seen |= bit;
    const Node* below = nullptr;
    if (node != nullptr) {
      if (field->inlined) {
        below = node;
      } else {
        const Node::Choice choice = field->id ? node->choose(*field->id) : node->choose(field->name);
        if (!choice.keep) {
          if (!in.skip(type)) return fail(message, *field, "malformed value");
          while (!gather_ && next_part(in, field_number, type)) {
            if (!in.skip(type)) return fail(message, *field, "malformed value");
          }
          continue;
        }
        below = choice.below;
      }
    }
    if (field->plain && type == WireType::Bytes && !gather_) {
      if (!plain(message, *field, in, depth, below)) return false;
      continue;
    }
    if (field->shape == Shape::List) {
      if (!list(message, *field, in, type, depth + 1, below)) return false;
      continue;
    }
    if (field->shape == Shape::Map) {
      if (!map(message, *field, in, type, depth + 1, below)) return false;
      continue;
    }
    Word word = 0;
    bool zero = false;
    const bool read = gather_ ? merged(message, *field, in, type, depth, below, word, zero)
                              : one(message, *field, in, type, depth, below, word, zero);
    if (!read) return false;
    if (field->inlined || (zero && field->presence == Presence::NonZero)) continue;
    writer_.push(key_of(*field), word);
  }
  return defaults(message, message.always & ~seen, node);
}

/// Strings and messages, single or in a list whose parts stand together: nearly all there is.
bool ProtobufWalker::plain(const Message& message, const Field& field, WireReader& in, int depth, const Node* node) {
  Word word = 0;
  if (field.wire == Wire::String && field.shape == Shape::One) {
    std::string_view payload;
    if (!in.bytes(payload)) return fail(message, field, "malformed value");
    if (payload.empty() && field.presence == Presence::NonZero) return true;
    word = text(payload);
  } else {
    const std::uint32_t path = path_;
    path_ = path_below(field);
    if (!plain_value(message, field, in, depth, node, word)) return false;
    path_ = path;
  }
  writer_.push(key_of(field), word);
  return true;
}

bool ProtobufWalker::plain_value(const Message& message, const Field& field, WireReader& in, int depth,
                                 const Node* node, Word& out) {
  const bool recognises = node == nullptr && writer_.sharing().recognises_repeats();
  const auto read_message = [&](std::string_view payload, int inside, Word& word) {
    const auto read = [&] { return map_of(*field.message, payload, inside + 1, node, word); };
    return recognises ? part(field, payload, inside, word, read) : read();
  };
  if (field.shape == Shape::One) {
    std::string_view payload;
    if (!in.bytes(payload)) return fail(message, field, "malformed value");
    return read_message(payload, depth, out);
  }
  const auto read_list = [&] {
    const std::size_t first = writer_.mark();
    const std::uint32_t path = meta::detail::Habits::below(path_, meta::detail::kItemStep);
    WireType type = WireType::Bytes;
    do {
      std::string_view payload;
      if (type != WireType::Bytes || !in.bytes(payload)) return fail(message, field, "malformed value");
      Word word = 0;
      path_ = path;
      if (field.wire == Wire::String) {
        word = text(payload);
      } else if (!read_message(payload, depth + 1, word)) {
        return false;
      }
      writer_.push(0, word);
    } while (next_part(in, field.number, type));
    out = writer_.close_list(first);
    return true;
  };
  return recognises ? run(message, field, in, depth, out, read_list) : read_list();
}

/// The parts of a list or map that stand together, as one part of the object.
template <class Read>
bool ProtobufWalker::run(const Message& message, const Field& field, WireReader& in, int depth, Word& out,
                         const Read& read) {
  WireReader end = in;
  WireType type = WireType::Bytes;
  std::string_view payload;
  do {
    if (type != WireType::Bytes || !end.bytes(payload)) return fail(message, field, "malformed value");
  } while (next_part(end, field.number, type));
  const std::string_view source(reinterpret_cast<const char*>(in.at), static_cast<std::size_t>(end.at - in.at));
  if (!part(field, source, depth, out, read)) return false;
  in = end;
  return true;
}

/// Reads a list or message, unless its bytes came before.
template <class Read>
bool ProtobufWalker::part(const Field& field, std::string_view source, int depth, Word& out, const Read& read) {
  meta::detail::Sharing& sharing = writer_.sharing();
  const meta::detail::PartPlace place{.path = path_, .depth = depth, .form = &field};
  std::optional<meta::detail::Sharing::ReadWhole> whole;
  if (sharing.expects_repeat(place.path)) {
    if (const auto word = sharing.repeat(place, source)) {
      out = *word;
      return true;
    }
    whole.emplace(sharing);
  }
  if (!read()) return false;
  sharing.note_part(place, source, out);
  return true;
}

/// The fields that JSON always has and the wire had not.
bool ProtobufWalker::defaults(const Message& message, std::uint64_t missing, const Node* node) {
  for (; missing != 0; missing &= missing - 1) {
    const Field& field = message.fields[static_cast<std::size_t>(std::countr_zero(missing))];
    if (field.inlined) {
      if (!defaults(*field.message, field.message->always, node)) return false;
      continue;
    }
    const Node* below = nullptr;
    if (node != nullptr) {
      const Node::Choice choice = field.id ? node->choose(*field.id) : node->choose(field.name);
      if (!choice.keep) continue;
      below = choice.below;
    }
    Word word = 0;
    if (field.shape == Shape::One && field.wire == Wire::Message) {
      const std::size_t first = writer_.mark();
      if (!defaults(*field.message, field.message->always, below)) return false;
      word = writer_.close_map(first);
    } else {
      word = default_of(field);
    }
    writer_.push(key_of(field), word);
  }
  return true;
}

ProtobufWalker::Word ProtobufWalker::default_of(const Field& field) {
  if (field.shape != Shape::One) return word_of(Tag::Null);
  switch (field.wire) {
    case Wire::String:
      return word_of(Tag::String);
    case Wire::Quantity:
      return writer_.string("0", 1);
    case Wire::Int32:
    case Wire::Int64:
    case Wire::Double:
    case Wire::IntOrString:
      return writer_.integer(0);
    case Wire::Bool:
      return word_of(Tag::Bool, 0);
    default:
      return word_of(Tag::Null);
  }
}

bool ProtobufWalker::one(const Message& message, const Field& field, WireReader& in, WireType type, int depth,
                         const Node* node, Word& out, bool& zero) {
  std::uint64_t bits = 0;
  switch (field.wire) {
    case Wire::Int32:
    case Wire::Int64:
    case Wire::Bool:
      if (type != WireType::Varint || !in.varint(bits)) return fail(message, field, "not a number");
      return number(field, bits, out, zero);
    case Wire::Double:
      if (type != WireType::Fixed64 || !in.fixed64(bits)) return fail(message, field, "not a number of 8 bytes");
      return number(field, bits, out, zero) || fail(message, field, "not a finite number");
    default:
      break;
  }
  std::string_view payload;
  if (type != WireType::Bytes || !in.bytes(payload)) return fail(message, field, "malformed value");
  return value(message, field, payload, depth, node, out, zero);
}

bool ProtobufWalker::number(const Field& field, std::uint64_t bits, Word& out, bool& zero) {
  zero = bits == 0;
  switch (field.wire) {
    case Wire::Bool:
      out = word_of(Tag::Bool, bits != 0 ? 1 : 0);
      return true;
    case Wire::Int32:
      out = writer_.integer(static_cast<std::int32_t>(bits));
      return true;
    case Wire::Double: {
      const auto real = std::bit_cast<double>(bits);
      if (!std::isfinite(real)) return false;
      // JSON writes whole numbers without a point, so they read as integers.
      const bool whole = real == std::trunc(real) && std::fabs(real) < 9.2e18;
      out = whole ? writer_.integer(static_cast<std::int64_t>(real)) : writer_.real(real);
      return true;
    }
    default:
      out = writer_.integer(static_cast<std::int64_t>(bits));
      return true;
  }
}

bool ProtobufWalker::value(const Message& message, const Field& field, std::string_view bytes, int depth,
                           const Node* node, Word& out, bool& zero) {
  switch (field.wire) {
    case Wire::String:
      zero = bytes.empty();
      out = text(bytes);
      return true;
    case Wire::Bytes:
      zero = bytes.empty();
      scratch_.clear();
      base64_append(scratch_, bytes);
      out = writer_.string(scratch_);
      return true;
    case Wire::Message:
      if (field.inlined) return fields(*field.message, bytes, depth, node);
      return map_of(*field.message, bytes, depth + 1, node, out);
    case Wire::Time:
    case Wire::MicroTime:
      return time(bytes, field.wire == Wire::MicroTime, out, zero) || fail(message, field, "malformed time");
    case Wire::Quantity:
      return quantity(bytes, out) || fail(message, field, "malformed quantity");
    case Wire::IntOrString:
      return int_or_string(bytes, out) || fail(message, field, "malformed number or text");
    case Wire::Json:
      return json(bytes, depth, out);
    case Wire::OrBool:
    case Wire::OrArray:
    case Wire::OrStringArray:
      return schema_or(field, bytes, depth + 1, node, out);
    case Wire::Items:
      return items(bytes, out) || fail(message, field, "malformed list");
    default:
      return fail(message, field, "malformed value");
  }
}

/// Whether another part of the same field follows: next to this one, or anywhere behind it when gathering.
bool ProtobufWalker::next_part(WireReader& in, std::uint32_t number, WireType& type) {
  if (!gather_ && number < 16) {  // a tag of one byte
    if (in.at == in.end || *in.at >> 3 != number || *in.at >= 128 || (*in.at & 7) > 5) return false;
    type = static_cast<WireType>(*in.at & 7);
    ++in.at;
    return true;
  }
  WireReader ahead = in;
  std::uint32_t other = 0;
  WireType other_type{};
  while (!ahead.done() && ahead.tag(other, other_type)) {
    if (other == number) {
      in = ahead;
      type = other_type;
      return true;
    }
    if (!gather_ || !ahead.skip(other_type)) return false;
  }
  return false;
}

bool ProtobufWalker::list(const Message& message, const Field& field, WireReader& in, WireType type, int depth,
                          const Node* node) {
  WireReader parts = in;
  const std::size_t first = writer_.mark();
  const bool numeric = field.wire == Wire::Int32 || field.wire == Wire::Int64 || field.wire == Wire::Bool;
  bool begun = false;
  do {
    Word word = 0;
    bool zero = false;
    if (type == WireType::Bytes && (numeric || field.wire == Wire::Double)) {
      std::string_view packed;
      if (!parts.bytes(packed)) return fail(message, field, "malformed list of numbers");
      WireReader numbers(packed);
      while (!numbers.done()) {
        if (!one(message, field, numbers, numeric ? WireType::Varint : WireType::Fixed64, depth, node, word, zero)) {
          return false;
        }
        writer_.push(0, word);
      }
    } else {
      if (!one(message, field, parts, type, depth, node, word, zero)) return false;
      writer_.push(0, word);
    }
    if (!begun || !gather_) in = parts;  // when gathering, the other parts are passed over as they come
    begun = true;
  } while (next_part(parts, field.number, type));
  const Word word = writer_.close_list(first);
  writer_.push(key_of(field), word);
  return true;
}

bool ProtobufWalker::map(const Message& message, const Field& field, WireReader& in, WireType type, int depth,
                         const Node* node) {
  if (depth > options_.max_depth) return fail("nested too deeply");
  Word word = 0;
  const auto read = [&] {
    WireReader parts = in;
    const std::size_t first = writer_.mark();
    bool begun = false;
    do {
      std::string_view entry;
      if (type != WireType::Bytes || !parts.bytes(entry)) return fail(message, field, "malformed entry");
      if (!map_entry(message, field, entry, depth, node)) return false;
      if (!begun || !gather_) in = parts;
      begun = true;
    } while (next_part(parts, field.number, type));
    word = writer_.close_map(first);
    return true;
  };
  if (node == nullptr && !gather_ && type == WireType::Bytes && writer_.sharing().recognises_repeats()) {
    const std::uint32_t path = path_;
    path_ = path_below(field);
    if (!run(message, field, in, depth, word, read)) return false;
    path_ = path;
  } else if (!read()) {
    return false;
  }
  writer_.push(key_of(field), word);
  return true;
}

bool ProtobufWalker::map_entry(const Message& message, const Field& field, std::string_view entry, int depth,
                               const Node* node) {
  WireReader in(entry);
  std::string_view key;
  WireReader last;
  WireType last_type{};
  // As every server writes them: the key, then the value.
  if (entry.size() > 1 && entry[0] == '\x0a' && field.wire == Wire::String) {
    WireReader ahead = in;
    ++ahead.at;
    std::string_view first;
    std::string_view second;
    if (ahead.bytes(first) && !ahead.done() && *ahead.at == 0x12) {
      ++ahead.at;
      if (ahead.bytes(second) && ahead.done() && node == nullptr && is_ascii(first)) {
        const auto written = writer_.key(first.data(), first.size());
        writer_.push(written, text(second));
        return true;
      }
    }
  }
  while (!in.done()) {
    std::uint32_t number = 0;
    WireType type{};
    if (!in.tag(number, type)) return fail(message, field, "malformed entry");
    if (number == 1) {
      if (type != WireType::Bytes || !in.bytes(key)) return fail(message, field, "malformed key");
      continue;
    }
    if (number == 2) {
      last = in;
      last_type = type;
    } else {
      unknown(message, field.number);
    }
    if (!in.skip(type)) return fail(message, field, "malformed entry");
  }
  const Node* below = nullptr;
  if (node != nullptr) {
    const Node::Choice choice = node->choose(key);
    if (!choice.keep) return true;
    below = choice.below;
  }
  if (!is_ascii(key) && valid_utf8_prefix(key) != key.size()) {
    scratch_.clear();
    repair_utf8(key, scratch_);
    key = scratch_;
  }
  const auto written = writer_.key(key.data(), key.size());
  Word word = 0;
  bool zero = false;
  if (last.at != nullptr) {
    if (!one(message, field, last, last_type, depth, below, word, zero)) return false;
  } else if (field.wire == Wire::Message || field.wire == Wire::Items || field.wire == Wire::Bytes) {
    if (!value(message, field, {}, depth, below, word, zero)) return false;
  } else {
    Field single = field;
    single.shape = Shape::One;
    word = default_of(single);
  }
  writer_.push(written, word);
  return true;
}

/// A single field whose parts may stand apart: messages are joined, of other values the last one counts.
bool ProtobufWalker::merged(const Message& message, const Field& field, WireReader& in, WireType type, int depth,
                            const Node* node, Word& out, bool& zero) {
  WireReader parts = in;
  WireReader last = in;
  WireType last_type = type;
  std::string joined;
  std::size_t count = 0;
  do {
    last = parts;
    last_type = type;
    if (field.wire == Wire::Message && type == WireType::Bytes) {
      WireReader copy = parts;
      std::string_view payload;
      if (!copy.bytes(payload)) return fail(message, field, "malformed value");
      joined.append(payload);
    }
    if (!parts.skip(type)) return fail(message, field, "malformed value");
    if (count++ == 0) in = parts;
  } while (next_part(parts, field.number, type));
  if (field.wire == Wire::Message && count > 1) return value(message, field, joined, depth, node, out, zero);
  return one(message, field, last, last_type, depth, node, out, zero);
}

ProtobufWalker::Word ProtobufWalker::odd_text(std::string_view bytes) {
  if (valid_utf8_prefix(bytes) == bytes.size()) return writer_.string(bytes);
  scratch_.clear();
  repair_utf8(bytes, scratch_);
  return writer_.string(scratch_);
}

}  // namespace kubexx::codec
