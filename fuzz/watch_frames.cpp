// layers: meta
// Streams and lists read the same whether they come whole or in pieces; the first byte chooses the size of the pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kubexx/meta/json_stream.hpp"

namespace {

using namespace kubexx::meta;

template <class Reader, class Item>
std::string read(std::string_view text, std::size_t piece) {
  std::string seen;
  DecodeOptions options;
  options.max_bytes = 1 << 16;
  Reader reader(options, [&](const Item& item) {
    if constexpr (std::is_same_v<Item, WatchEvent>) {
      seen += to_string(item.type);
      append_json(seen, item.object.root());
    } else {
      append_json(seen, item.root());
    }
  });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (!reader.feed(text.substr(at, piece))) return seen + " failed";
  }
  return seen + (reader.finish() ? " done" : " failed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (read<JsonWatchReader, WatchEvent>(text, text.size() + 1) != read<JsonWatchReader, WatchEvent>(text, piece))
    std::abort();
  if (read<JsonListReader, Object>(text, text.size() + 1) != read<JsonListReader, Object>(text, piece)) std::abort();
  return 0;
}
