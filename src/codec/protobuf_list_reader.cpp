#include "base/internal/buffer.hpp"
#include "codec/protobuf_walker.hpp"
#include "kubexx/codec/protobuf_stream.hpp"

namespace kubexx::codec {

/// Takes the body apart record by record (a tag and its value); the object's bytes are a record that is entered.
///
///   Begin    before the magic bytes
///   Outside  among the fields of the envelope
///   Inside   among the fields of the list, `left` bytes of it to come
struct KUBEXX_HIDDEN ProtobufListReader::Impl final : Body {
  enum class Mode : std::uint8_t { Begin, Outside, Inside };

  Impl(ProtobufListReader& of, meta::DecodeOptions options) : reader(of), walker(std::move(options)) {}

  ProtobufListReader& reader;
  ProtobufWalker walker;
  Mode mode = Mode::Begin;
  std::string record;      // begun in an earlier chunk
  std::size_t wanted = 0;  // bytes the record must have before it is looked at again
  std::uint64_t left = 0;
  std::size_t items = 0;
  bool entered = false;
  std::string api_version;
  std::string kind;
  std::string item_kind;
  const Message* list = nullptr;
  const Field* items_field = nullptr;
  meta::ListMeta meta;

  static Error fail(const std::string& message) { return Error::decode("list: " + message); }

  Result<void> read(std::string_view chunk) override {
    walker.expect(chunk.size());
    while ((!chunk.empty() || !record.empty()) && !reader.stopped()) {
      if (record.empty()) {
        auto used = take(chunk);
        if (!used) return used.error();
        if (*used == 0) {
          record.assign(chunk);
          return {};
        }
        chunk.remove_prefix(*used);
        continue;
      }
      if (record.size() < wanted) {
        const std::size_t more = std::min(wanted - record.size(), chunk.size());
        record.append(chunk.substr(0, more));
        chunk.remove_prefix(more);
        if (record.size() < wanted) return {};
      }
      auto used = take(record);
      if (!used) return used.error();
      if (*used == record.size()) {
        empty_buffer(record);
      } else if (*used != 0) {
        record.erase(0, *used);
        wanted = 0;
      } else if (chunk.empty() && record.size() < wanted) {
        return {};
      }
    }
    return {};
  }

  /// Reads one record at the beginning of the bytes; 0: it is not whole, and `wanted` says how many bytes it takes.
  Result<std::size_t> take(std::string_view bytes) {
    if (mode == Mode::Begin) {
      wanted = kMagic.size();
      if (!kMagic.starts_with(bytes.substr(0, kMagic.size()))) return fail("not a protobuf body");
      if (bytes.size() < wanted) return std::size_t{0};
      mode = Mode::Outside;
      return kMagic.size();
    }
    if (mode == Mode::Inside && left == 0) mode = Mode::Outside;
    const bool inside = mode == Mode::Inside;
    if (inside && bytes.size() > left) bytes = bytes.substr(0, static_cast<std::size_t>(left));
    WireReader in(bytes);
    std::uint32_t number = 0;
    WireType type{};
    std::uint64_t size = 0;
    if (!in.tag(number, type)) return not_whole(bytes, 10);
    const auto begin = [&] { return static_cast<std::size_t>(bytes.size() - in.left()); };
    if (type != WireType::Bytes) {
      if (type == WireType::GroupBegin || type == WireType::GroupEnd) return fail("malformed body");
      if (!in.skip(type)) return not_whole(bytes, 20);
      return consumed(begin());
    }
    if (!in.varint(size)) return not_whole(bytes, 20);
    if (!inside && number == 2) return enter(size, begin());
    if (size > walker.options().max_bytes) {
      return fail((inside && number == items_number() ? "item " + std::to_string(items) : "a field of the list") +
                  " is larger than the limit of " + std::to_string(walker.options().max_bytes) + " bytes");
    }
    if (inside && begin() + size > left) return fail("malformed body");
    if (in.left() < size) {
      wanted = begin() + static_cast<std::size_t>(size);
      return std::size_t{0};
    }
    const std::string_view payload = bytes.substr(begin(), static_cast<std::size_t>(size));
    auto read = inside ? field(number, payload) : envelope(number, payload);
    if (!read) return read.error();
    return consumed(begin() + payload.size());
  }

  std::uint32_t items_number() const { return items_field ? items_field->number : 0; }

  std::size_t consumed(std::size_t count) {
    if (mode == Mode::Inside) left -= count;
    return count;
  }

  Result<std::size_t> not_whole(std::string_view bytes, std::size_t most) {
    if (bytes.size() >= most || (mode == Mode::Inside && bytes.size() == left)) return fail("malformed body");
    wanted = bytes.size() + 1;
    return std::size_t{0};
  }

  Result<void> envelope(std::uint32_t number, std::string_view payload) {
    if (number == 3 && !payload.empty()) return fail("the body has a content encoding");
    if (number != 1) return {};
    Envelope type;
    if (!read_type_meta(payload, type)) return fail("malformed body");
    api_version = type.api_version;
    kind = type.kind;
    return {};
  }

  Result<std::size_t> enter(std::uint64_t size, std::size_t begin) {
    if (entered) return fail("the body has two objects");
    entered = true;
    list = find_message(api_version, kind);
    if (list == nullptr) {
      std::string text;
      repair_utf8(kind.substr(0, 100), text);
      return fail("no built-in type is \"" + text + "\"");
    }
    for (const Field& field : list->fields) {
      if (field.name == "items" && field.shape == Shape::List) items_field = &field;
    }
    if (items_field == nullptr) return fail("the body has no items, its kind is \"" + kind + "\"");
    item_kind = kind.ends_with("List") ? kind.substr(0, kind.size() - 4) : std::string();
    left = size;
    mode = Mode::Inside;
    return begin;
  }

  Result<void> field(std::uint32_t number, std::string_view payload) {
    const Field* known = list->find(number);
    if (known == nullptr) return {};
    if (known == items_field) return item(payload);
    if (known->name != "metadata") return {};
    auto read = walker.decode(*known->message, payload, {}, {}, meta::Projection::full());
    if (!read) return fail("metadata: " + read.error().message());
    meta.resource_version = (*read)["resourceVersion"].string();
    meta.continue_token = (*read)["continue"].string();
    meta.remaining_item_count = (*read)["remainingItemCount"].get_int();
    meta.shard_selector = (*read)["shardInfo"]["selector"].string();
    return {};
  }

  Result<void> item(std::string_view payload) {
    if (items_field->wire != Wire::Message) return fail("the items are of different kinds");
    if (const auto* knower = reader.knower()) {
      meta::ItemIdentity identity;
      auto known = read_identity(payload, identity) ? knower->find_known(identity) : meta::Object();
      if (known) {
        ++items;
        reader.deliver(std::move(known));
        return {};
      }
    }
    auto object = walker.decode(*items_field->message, payload, api_version, item_kind, walker.options().projection);
    if (!object) return fail("item " + std::to_string(items) + ": " + object.error().message());
    ++items;
    reader.deliver(std::move(*object));
    return {};
  }

  Result<meta::ListMeta> end() override {
    if (mode == Mode::Begin) return fail("empty body");
    if (!record.empty() || (mode == Mode::Inside && left != 0)) return fail("the body is truncated");
    if (!entered) return fail("the body has no list");
    meta.api_version = api_version;
    meta.kind = kind;
    return meta;
  }
};

ProtobufListReader::ProtobufListReader(meta::DecodeOptions options, meta::StreamSink& sink)
    : StreamReader(sink, std::make_unique<Impl>(*this, std::move(options))) {}

}  // namespace kubexx::codec
