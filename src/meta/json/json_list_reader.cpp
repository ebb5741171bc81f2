#include "base/internal/buffer.hpp"
#include "base/internal/text.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "kubexx/meta/status.hpp"
#include "meta/document/field_ids.hpp"
#include "meta/json/json_splitter.hpp"
#include "meta/json/json_walker.hpp"

namespace kubexx::meta {
namespace {

constexpr auto kNpos = std::string_view::npos;

}  // namespace

/// Collects the text around the items and hands the items to the decoder one by one.
///
///   Begin   before the opening brace of the list
///   Header  inside it, but not inside "items"; the text is kept
///   Items   between two items; `expect` says what may come
///   Item    inside an item that began in an earlier chunk
///   End     behind the closing brace
struct KUBEXX_HIDDEN JsonListReader::Impl final : Body {
  enum class Mode { Begin, Header, Items, Item, End };
  enum class Expect { FirstItem, Item, Comma };

  Impl(JsonListReader& of, DecodeOptions options) : reader(of), decoder(std::move(options)) {}

  JsonListReader& reader;
  detail::JsonWalker decoder;
  Mode mode = Mode::Begin;
  Expect expect = Expect::FirstItem;
  std::size_t offset = 0;  // of the current chunk in the body
  std::size_t items = 0;
  std::string item;  // begun in an earlier chunk
  detail::JsonSplitter splitter;

  std::string header;
  std::size_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  bool key_comes = false;   // the next string at depth 1 is a key
  bool items_come = false;  // "items": has been read
  bool saw_items = false;
  std::size_t key_begin = 0;  // in the header

  Error fail(std::size_t position, std::string_view message) {
    return Error::decode("list: byte " + std::to_string(offset + position) + ": " + std::string(message));
  }

  Result<void> read(std::string_view chunk) override {
    decoder.expect(chunk.size());
    for (std::size_t at = 0; at < chunk.size() && !reader.stopped();) {
      Result<std::size_t> used = 0;
      switch (mode) {
        case Mode::Begin:
        case Mode::End:
          used = outside(chunk, at);
          break;
        case Mode::Header:
          used = in_header(chunk, at);
          break;
        case Mode::Items:
          used = between_items(chunk, at);
          break;
        case Mode::Item:
          used = go_on_item(chunk);
          break;
      }
      if (!used) return used.error();
      at = *used;
    }
    offset += chunk.size();
    return {};
  }

  Result<std::size_t> outside(std::string_view chunk, std::size_t at) {
    while (at < chunk.size() && is_space(chunk[at])) ++at;
    if (at == chunk.size()) return at;
    if (mode == Mode::End) return fail(at, "unexpected data after the list");
    if (chunk[at] != '{') return fail(at, "a list begins with '{'");
    header.assign(1, '{');
    depth = 1;
    key_comes = true;
    mode = Mode::Header;
    return at + 1;
  }

  Result<std::size_t> in_header(std::string_view chunk, std::size_t at) {
    for (; at < chunk.size() && mode == Mode::Header; ++at) {
      if (header.size() >= decoder.options().max_bytes) return fail(at, "what stands beside the items is too large");
      const char c = chunk[at];
      header += c;
      if (in_string) {
        string_byte(c);
      } else if (!is_space(c)) {
        structure_byte(c);
      }
    }
    return at;
  }

  void string_byte(char c) {
    if (escaped) {
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      in_string = false;
    }
  }

  void structure_byte(char c) {
    const bool list_comes = items_come && c == '[';
    items_come = false;
    switch (c) {
      case '"':
        in_string = true;
        if (depth == 1 && key_comes) key_begin = header.size();
        break;
      case ':':
        if (depth == 1 && key_comes) {
          key_comes = false;
          const std::size_t end = header.rfind('"');
          items_come = std::string_view(header).substr(key_begin, end - key_begin) == "items";
        }
        break;
      case ',':
        if (depth == 1) key_comes = true;
        break;
      case '[':
      case '{':
        if (list_comes) return begin_items();
        ++depth;
        break;
      case ']':
      case '}':
        if (--depth == 0) mode = Mode::End;
        break;
      default:
        break;
    }
  }

  /// Items that do not say what they are get it from the list, if that has come by now.
  void begin_items() {
    mode = Mode::Items;
    expect = Expect::FirstItem;
    saw_items = true;
    const auto list = parse_json(header + "]}", header_options());
    if (!list) return;  // end() will say what is wrong with it
    std::string_view kind = list->kind();
    DecodeOptions& options = decoder.options();
    if (kind == "PartialObjectMetadataList" && !options.default_kind.empty()) return;
    if (!list->api_version().empty() && kind != "List") options.default_api_version = list->api_version();
    if (kind.ends_with("List") && kind.size() > 4) options.default_kind = kind.substr(0, kind.size() - 4);
  }

  DecodeOptions header_options() {
    DecodeOptions options;
    options.max_bytes = decoder.options().max_bytes + 16;
    options.max_depth = decoder.options().max_depth;
    return options;
  }

  Result<std::size_t> between_items(std::string_view chunk, std::size_t at) {
    while (at < chunk.size() && is_space(chunk[at])) ++at;
    if (at == chunk.size()) return at;
    const char c = chunk[at];
    if (c == ']' && expect != Expect::Item) {
      header += ']';
      mode = Mode::Header;
      return at + 1;
    }
    if (c == ',' && expect == Expect::Comma) {
      expect = Expect::Item;
      return at + 1;
    }
    if (c != '{' || expect == Expect::Comma) {
      return fail(at, expect == Expect::Comma ? "expected ',' or ']' after an item" : "an item is not an object");
    }
    expect = Expect::Comma;
    splitter.start();
    const std::string_view rest = chunk.substr(at);
    const std::size_t size = splitter.scan(rest);
    if (size != kNpos) {
      if (auto decoded = decode(rest.substr(0, size), at); !decoded) return decoded.error();
      return at + size;
    }
    if (rest.size() > decoder.options().max_bytes) return too_large(at);
    item.assign(rest);
    mode = Mode::Item;
    return chunk.size();
  }

  Error too_large(std::size_t at) {
    return fail(at, "item " + std::to_string(items) + " is larger than the limit of " +
                        std::to_string(decoder.options().max_bytes) + " bytes");
  }

  Result<std::size_t> go_on_item(std::string_view chunk) {
    const std::size_t size = splitter.scan(chunk);
    const std::string_view part = chunk.substr(0, size);
    if (item.size() + part.size() > decoder.options().max_bytes) return too_large(0);
    item += part;
    if (size == kNpos) return chunk.size();
    mode = Mode::Items;
    if (auto decoded = decode(item, 0); !decoded) return decoded.error();
    empty_buffer(item);
    return size;
  }

  Result<void> decode(std::string_view text, std::size_t at) {
    auto object = decoder.decode(text, reader.knower());
    if (!object) return fail(at, "item " + std::to_string(items) + ": " + object.error().message());
    ++items;
    reader.deliver(std::move(*object));
    return {};
  }

  Result<ListMeta> end() override {
    if (mode == Mode::Begin) return fail(0, "empty body");
    if (mode != Mode::End) {
      return fail(0, "the body ends inside " + (mode == Mode::Item ? "item " + std::to_string(items) : "the list"));
    }
    auto list = parse_json(header, header_options());
    if (!list) return list.error().with_context("list without its items");
    const Value left = (*list)[field::kItems];
    if (left.exists() && !left.is_null() && !(left.is_list() && left.empty())) {
      return Error::decode("list: \"items\" is not a list of objects");
    }
    if (!left.exists() && is_status(*list) && (*list)["status"].string() == "Failure") return error_from_status(*list);
    if (!left.exists() && !list->kind().ends_with("List")) {
      return Error::decode("list: the body has no items, its kind is \"" + std::string(list->kind()) + "\"");
    }
    const Value metadata = list->metadata_value();
    ListMeta meta;
    meta.api_version = list->api_version();
    meta.kind = list->kind();
    meta.resource_version = metadata[field::kResourceVersion].string();
    meta.continue_token = metadata[field::kContinue].string();
    meta.remaining_item_count = metadata[field::kRemainingItemCount].get_int();
    meta.shard_selector = metadata["shardInfo"]["selector"].string();
    return meta;
  }
};

JsonListReader::JsonListReader(DecodeOptions options, StreamSink& sink)
    : StreamReader(sink, std::make_unique<Impl>(*this, std::move(options))) {}

}  // namespace kubexx::meta
