#include <bit>
#include <limits>

#include "base/internal/base64.hpp"
#include "codec/messages.hpp"
#include "codec/wire.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::codec {
namespace {

constexpr int kMaxDepth = 256;

/// Writes messages from values. false: fault_ says what is wrong and path_ where.
class Encoder {
 public:
  explicit Encoder(UnknownFields unknown) : unknown_(unknown) {}

  bool message(std::string& out, const Message& message, meta::Value value, int depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    if (!value.is_map()) return fail("not an object");
    if (unknown_ == UnknownFields::Reject && !check_names(message, value)) return false;
    return fields(out, message, value, depth);
  }

  Error error() const {
    return Error::decode("protobuf: " + (path_.empty() ? std::string("the object") : path_) + ": " + fault_);
  }

 private:
  static bool knows(const Message& message, std::string_view name) {
    for (const Field& field : message.fields) {
      if (field.inlined ? knows(*field.message, name) : field.name == name) return true;
    }
    return name == "apiVersion" || name == "kind";
  }

  /// Whether a message without contents reads as null: then null is written as one, else it is as good as absent.
  static bool reads_as_null(const Field& field) {
    if (field.shape != Shape::One || field.presence == Presence::NonZero) return false;
    return field.wire == Wire::Time || field.wire == Wire::MicroTime || field.wire == Wire::Json ||
           field.wire == Wire::OrArray || field.wire == Wire::OrStringArray;
  }

  bool check_names(const Message& message, meta::Value value) {
    for (const auto& [name, field] : value.entries()) {
      if (!knows(message, name)) {
        path_.append(".").append(name);
        return fail("a field that protobuf has no number for");
      }
    }
    return true;
  }

  bool fields(std::string& out, const Message& message, meta::Value value, int depth) {
    for (const Field& field : message.fields) {
      if (field.inlined) {
        const std::size_t before = out.size();
        append_tag(out, field.number, WireType::Bytes);
        const std::size_t begin = out.size();
        if (!fields(out, *field.message, value, depth)) return false;
        if (out.size() == begin) {
          out.resize(before);
        } else {
          insert_length(out, begin);
        }
        continue;
      }
      const auto entry = field.id ? value[*field.id] : value[field.name];
      if (!entry.exists() || (entry.is_null() && !reads_as_null(field))) continue;
      const std::size_t size = path_.size();
      if (!path_.empty()) path_ += '.';
      path_ += field.name;
      if (!shaped(out, field, entry, depth)) return false;
      path_.resize(size);
    }
    return true;
  }

  bool shaped(std::string& out, const Field& field, meta::Value value, int depth) {
    switch (field.shape) {
      case Shape::One:
        return one(out, field, field.number, value, depth);
      case Shape::List: {
        if (!value.is_list()) return fail("not a list");
        std::size_t index = 0;
        for (const auto item : value.items()) {
          const std::size_t size = path_.size();
          path_.append("[").append(std::to_string(index++)).append("]");
          if (!one(out, field, field.number, item, depth)) return false;
          path_.resize(size);
        }
        return true;
      }
      case Shape::Map:
        break;
    }
    if (!value.is_map()) return fail("not a map");
    for (const auto& [key, entry] : value.entries()) {
      const std::size_t size = path_.size();
      path_.append("[").append(key).append("]");
      append_tag(out, field.number, WireType::Bytes);
      const std::size_t begin = out.size();
      append_bytes(out, 1, key);
      if (!one(out, field, 2, entry, depth)) return false;
      insert_length(out, begin);
      path_.resize(size);
    }
    return true;
  }

  bool one(std::string& out, const Field& field, std::uint32_t number, meta::Value value, int depth) {
    switch (field.wire) {
      case Wire::String: {
        const auto text = value.get_string();
        if (!text && !value.is_null()) return fail("not a string");
        append_bytes(out, number, text.value_or(std::string_view()));
        return true;
      }
      case Wire::Int32:
      case Wire::Int64: {
        const auto whole = value.get_int();
        if (!whole) return fail("not a whole number");
        if (field.wire == Wire::Int32 && *whole != static_cast<std::int32_t>(*whole)) return fail("beyond 32 bits");
        append_tag(out, number, WireType::Varint);
        append_varint(out, static_cast<std::uint64_t>(*whole));
        return true;
      }
      case Wire::Bool: {
        const auto flag = value.get_bool();
        if (!flag) return fail("not true or false");
        append_tag(out, number, WireType::Varint);
        append_varint(out, *flag ? 1 : 0);
        return true;
      }
      case Wire::Double: {
        const auto real = value.get_double();
        if (!real) return fail("not a number");
        append_tag(out, number, WireType::Fixed64);
        const auto bits = std::bit_cast<std::uint64_t>(*real);
        for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i) & 255);
        return true;
      }
      case Wire::Bytes: {
        if (!value.is_string() && !value.is_null()) return fail("not a base64 string");
        auto bytes = base64_decode(value.string());
        if (!bytes) return fail("not base64");
        append_bytes(out, number, *bytes);
        return true;
      }
      default:
        break;
    }
    append_tag(out, number, WireType::Bytes);
    const std::size_t begin = out.size();
    if (!contents(out, field, value, depth)) return false;
    insert_length(out, begin);
    return true;
  }

  /// The inside of what is a message on the wire.
  bool contents(std::string& out, const Field& field, meta::Value value, int depth) {
    switch (field.wire) {
      case Wire::Time:
      case Wire::MicroTime:
        return time(out, field.wire == Wire::MicroTime, value);
      case Wire::Quantity:
        if (value.is_number()) {
          append_bytes(out, 1, meta::to_json(value));
          return true;
        }
        if (!value.is_string() && !value.is_null()) return fail("not a quantity");
        append_bytes(out, 1, value.is_null() ? "0" : value.string());
        return true;
      case Wire::IntOrString:
        return int_or_string(out, value);
      case Wire::Json:
        if (!value.is_null()) append_bytes(out, 1, meta::to_json(value));
        return true;
      case Wire::Items:
        if (!value.is_list() && !value.is_null()) return fail("not a list");
        for (const auto item : value.items()) {
          if (!item.is_string()) return fail("not a list of strings");
          append_bytes(out, 1, item.string());
        }
        return true;
      case Wire::OrBool:
      case Wire::OrArray:
      case Wire::OrStringArray:
        return schema_or(out, field, value, depth);
      default:
        break;
    }
    if (value.is_null()) return true;
    return message(out, *field.message, value, depth + 1);
  }

  bool time(std::string& out, bool micro, meta::Value value) {
    if (value.is_null()) return true;
    if (!value.is_string()) return fail("not a time");
    const auto parsed = meta::MicroTime::parse(value.string());
    if (!parsed) return fail(parsed.error().message());
    std::int64_t seconds = parsed->unix_micros / 1'000'000;
    std::int64_t micros = parsed->unix_micros % 1'000'000;
    if (micros < 0) {
      micros += 1'000'000;
      --seconds;
    }
    append_tag(out, 1, WireType::Varint);
    append_varint(out, static_cast<std::uint64_t>(seconds));
    append_tag(out, 2, WireType::Varint);
    append_varint(out, micro ? static_cast<std::uint64_t>(micros) * 1000 : 0);
    return true;
  }

  bool int_or_string(std::string& out, meta::Value value) {
    const auto number = value.get_int();
    if (!number && !value.is_string() && !value.is_null()) return fail("neither a number nor a string");
    if (number && *number != static_cast<std::int32_t>(*number)) return fail("beyond 32 bits");
    append_tag(out, 1, WireType::Varint);
    append_varint(out, value.is_string() ? 1 : 0);
    append_tag(out, 2, WireType::Varint);
    append_varint(out, static_cast<std::uint64_t>(number.value_or(0)));
    append_bytes(out, 3, value.string());
    return true;
  }

  bool schema_or(std::string& out, const Field& field, meta::Value value, int depth) {
    std::uint32_t number = 1;
    if (field.wire == Wire::OrBool) {
      const auto allows = value.get_bool();
      append_tag(out, 1, WireType::Varint);
      append_varint(out, allows.value_or(true) ? 1 : 0);
      if (allows) return true;
      number = 2;
    }
    if (value.is_list() && field.wire != Wire::OrBool) {
      for (const auto item : value.items()) {
        if (field.wire == Wire::OrStringArray) {
          if (!item.is_string()) return fail("not a string");
          append_bytes(out, 2, item.string());
        } else if (!nested(out, 2, *field.message, item, depth)) {
          return false;
        }
      }
      return true;
    }
    if (value.is_null()) return true;
    return nested(out, number, *field.message, value, depth);
  }

  bool nested(std::string& out, std::uint32_t number, const Message& message, meta::Value value, int depth) {
    append_tag(out, number, WireType::Bytes);
    const std::size_t begin = out.size();
    if (!this->message(out, message, value, depth + 1)) return false;
    insert_length(out, begin);
    return true;
  }

  bool fail(std::string message) {
    fault_ = std::move(message);
    return false;
  }

  UnknownFields unknown_;
  std::string path_;
  std::string fault_;
};

}  // namespace

Result<std::string> to_protobuf(const meta::Object& object, UnknownFields unknown) {
  const auto api_version = object.api_version();
  const auto kind = object.kind();
  const Message* type = find_message(api_version, kind);
  if (type == nullptr) {
    return Error::decode("protobuf: no built-in type is " + std::string(kind) + " of " + std::string(api_version));
  }
  std::string body;
  Encoder encoder(unknown);
  if (!encoder.message(body, *type, object.root(), 0)) return encoder.error();
  std::string out(kMagic);
  std::string type_meta;
  append_bytes(type_meta, 1, api_version);
  append_bytes(type_meta, 2, kind);
  out.reserve(body.size() + type_meta.size() + 32);
  append_bytes(out, 1, type_meta);
  append_bytes(out, 2, body);
  append_bytes(out, 3, {});
  append_bytes(out, 4, {});
  return out;
}

std::string protobuf_watch_frame(std::string_view type, std::string_view body) {
  std::string event;
  append_bytes(event, 1, type);
  append_tag(event, 2, WireType::Bytes);
  const std::size_t begin = event.size();
  append_bytes(event, 1, body);
  insert_length(event, begin);
  std::string frame;
  frame.reserve(event.size() + 4);
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(event.size() >> shift & 255);
  return frame.append(event);
}

}  // namespace kubexx::codec
