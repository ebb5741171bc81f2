#include "base/internal/buffer.hpp"
#include "codec/protobuf_walker.hpp"
#include "kubexx/codec/protobuf_stream.hpp"

namespace kubexx::codec {
namespace {

constexpr std::size_t kEnvelope = 4096;  // what may stand around an object of the largest size

}  // namespace

struct KUBEXX_HIDDEN ProtobufWatchReader::Impl final : Body {
  Impl(ProtobufWatchReader& of, meta::DecodeOptions options) : reader(of), walker(std::move(options)) {
    walker.options().max_bytes += kEnvelope;
  }

  ProtobufWatchReader& reader;
  ProtobufWalker walker;
  std::string frame;  // begun in an earlier chunk, its length included
  std::size_t offset = 0;

  Error fail(std::string_view message) {
    return Error::decode("watch: frame at byte " + std::to_string(offset) + ": " + std::string(message));
  }

  static std::size_t length(std::string_view head) noexcept {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(head[i]);
    return size;
  }

  Result<void> read(std::string_view chunk) override {
    walker.expect(chunk.size());
    while (!chunk.empty() && !reader.stopped()) {
      if (frame.empty() && chunk.size() >= 4) {
        const std::size_t size = length(chunk);
        if (size > walker.options().max_bytes) return too_large(size);
        if (chunk.size() - 4 >= size) {
          if (auto read = decode(chunk.substr(4, size)); !read) return read;
          chunk.remove_prefix(4 + size);
          continue;
        }
      }
      std::size_t wanted = 4;
      if (frame.size() >= 4) {
        wanted = 4 + length(frame);
      } else if (frame.size() + chunk.size() >= 4) {
        const std::size_t missing = 4 - frame.size();
        frame.append(chunk.substr(0, missing));
        chunk.remove_prefix(missing);
        if (length(frame) > walker.options().max_bytes) return too_large(length(frame));
        wanted = 4 + length(frame);
      }
      const std::size_t taken = std::min(wanted - frame.size(), chunk.size());
      frame.append(chunk.substr(0, taken));
      chunk.remove_prefix(taken);
      if (frame.size() >= 4 && frame.size() == 4 + length(frame)) {
        if (auto read = decode(std::string_view(frame).substr(4)); !read) return read;
        empty_buffer(frame);
      }
    }
    return {};
  }

  Error too_large(std::size_t size) {
    return fail(std::to_string(size) + " bytes, more than the limit of " + std::to_string(walker.options().max_bytes));
  }

  Result<void> decode(std::string_view bytes) {
    std::string_view type_text;
    std::string_view object;
    if (!open_event(bytes, type_text, object)) return fail("malformed event");
    const auto type = meta::parse_watch_event_type(type_text);
    if (type == meta::WatchEventType::Added) {
      if (auto known = find_known(object)) {
        offset += 4 + bytes.size();
        reader.deliver({type, std::move(known)});
        return {};
      }
    }
    // Bookmarks and errors say what no projection for the objects may cut.
    const bool cut = type == meta::WatchEventType::Added || type == meta::WatchEventType::Modified ||
                     type == meta::WatchEventType::Deleted;
    if (!cut) walker.expect_nothing();  // what came in bulk has come
    auto decoded = walker.decode(object, cut ? walker.options().projection : meta::Projection::full());
    if (!decoded) return fail(decoded.error().message());
    offset += 4 + bytes.size();
    reader.deliver({type, std::move(*decoded)});
    return {};
  }

  meta::Object find_known(std::string_view object) const {
    const auto* knower = reader.knower();
    if (knower == nullptr) return {};
    const auto envelope = open_envelope(object);
    meta::ItemIdentity identity;
    return envelope && read_identity(envelope->raw, identity) ? knower->find_known(identity) : meta::Object();
  }

  static bool open_event(std::string_view bytes, std::string_view& type_text, std::string_view& object) {
    WireReader in(bytes);
    while (!in.done()) {
      std::uint32_t number = 0;
      WireType type{};
      if (!in.tag(number, type)) return false;
      if (number == 1 && type == WireType::Bytes) {
        if (!in.bytes(type_text)) return false;
      } else if (number == 2 && type == WireType::Bytes) {
        std::string_view extension;
        if (!in.bytes(extension)) return false;
        WireReader inner(extension);
        while (!inner.done()) {
          if (!inner.tag(number, type)) return false;
          if (number == 1 && type == WireType::Bytes ? !inner.bytes(object) : !inner.skip(type)) return false;
        }
      } else if (!in.skip(type)) {
        return false;
      }
    }
    return true;
  }

  std::size_t buffered() const noexcept override { return frame.size(); }

  Result<meta::ListMeta> end() override {
    if (!frame.empty()) return fail("the stream ends inside the frame");
    return meta::ListMeta();
  }
};

ProtobufWatchReader::ProtobufWatchReader(meta::DecodeOptions options, meta::StreamSink& sink)
    : StreamReader(sink, std::make_unique<Impl>(*this, std::move(options))) {}

}  // namespace kubexx::codec
