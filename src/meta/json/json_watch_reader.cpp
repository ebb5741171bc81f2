#include "base/internal/buffer.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "meta/json/json_splitter.hpp"
#include "meta/json/json_walker.hpp"

namespace kubexx::meta {
namespace {

constexpr std::size_t kEnvelope = 1024;  // what may stand around an object of the largest size

}  // namespace

struct KUBEXX_HIDDEN JsonWatchReader::Impl final : Body {
  Impl(JsonWatchReader& of, DecodeOptions options) : reader(of), walker(std::move(options)) {
    walker.options().max_bytes += kEnvelope;
  }

  JsonWatchReader& reader;
  detail::JsonWalker walker;
  detail::JsonSplitter splitter;
  std::string event;  // begun in an earlier chunk
  bool inside = false;
  std::size_t offset = 0;  // of the current chunk in the stream

  Error fail(std::size_t position, std::string_view message) {
    return Error::decode("watch: byte " + std::to_string(offset + position) + ": " + std::string(message));
  }

  Result<void> read(std::string_view chunk) override {
    walker.expect(chunk.size());
    for (std::size_t at = 0; at < chunk.size() && !reader.stopped();) {
      if (!inside) {
        at = std::min(chunk.find_first_not_of(" \t\r\n", at), chunk.size());
        if (at == chunk.size()) break;
        if (chunk[at] != '{') return fail(at, "an event begins with '{'");
        splitter.start();
        inside = true;
      }
      const std::string_view rest = chunk.substr(at);
      const std::size_t size = splitter.scan(rest);
      const std::string_view part = rest.substr(0, size);
      if (event.size() + part.size() > walker.options().max_bytes) {
        return fail(at,
                    "an event is larger than the limit of " + std::to_string(walker.options().max_bytes) + " bytes");
      }
      if (size == std::string_view::npos) {
        event += part;
        break;
      }
      if (event.empty()) {
        if (auto read = decode(part, at); !read) return read;
      } else {
        event += part;
        if (auto read = decode(event, at); !read) return read;
        empty_buffer(event);
      }
      inside = false;
      at += size;
    }
    offset += chunk.size();
    return {};
  }

  Result<void> decode(std::string_view text, std::size_t at) {
    auto event_read = walker.decode_event(text, reader.knower());
    if (!event_read) return fail(at, event_read.error().message());
    reader.deliver({parse_watch_event_type(event_read->type), std::move(event_read->object)});
    return {};
  }

  std::size_t buffered() const noexcept override { return event.size(); }

  Result<ListMeta> end() override {
    if (inside) return fail(0, "the stream ends inside an event");
    return ListMeta();
  }
};

JsonWatchReader::JsonWatchReader(DecodeOptions options, StreamSink& sink)
    : StreamReader(sink, std::make_unique<Impl>(*this, std::move(options))) {}

}  // namespace kubexx::meta
