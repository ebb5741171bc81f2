// layers: meta
// Streams and lists read the same whether they come whole or in pieces; the first byte chooses the size of the pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kubexx/meta/json_stream.hpp"

namespace {

using namespace kubexx::meta;

struct Seen final : StreamSink {
  void on_item(Object item) override { append_json(text, item.root()); }
  void on_event(WatchEvent event) override {
    text += to_string(event.type);
    append_json(text, event.object.root());
  }
  void on_end(kubexx::Result<ListMeta>) override {}
  std::string text;
};

template <class Reader>
std::string read(std::string_view text, std::size_t piece) {
  Seen seen;
  DecodeOptions options;
  options.max_bytes = 1 << 16;
  Reader reader(options, seen);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (!reader.feed(text.substr(at, piece))) return seen.text + " failed";
  }
  return seen.text + (reader.finish() ? " done" : " failed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (read<JsonWatchReader>(text, text.size() + 1) != read<JsonWatchReader>(text, piece)) std::abort();
  if (read<JsonListReader>(text, text.size() + 1) != read<JsonListReader>(text, piece)) std::abort();
  return 0;
}
