// layers: codec
// Any bytes are refused, or become an object that is written and read again as itself; lists and watches read the same
// whole or in pieces. The first byte chooses the reader and the size of the pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;

struct Seen final : meta::StreamSink {
  void on_item(meta::Object item) override { meta::append_json(text, item.root()); }
  void on_event(meta::WatchEvent event) override {
    text += to_string(event.type);
    meta::append_json(text, event.object.root());
  }
  void on_end(Result<meta::ListMeta>) override {}
  std::string text;
};

template <class Reader>
std::string read(std::string_view bytes, std::size_t piece) {
  Seen seen;
  meta::DecodeOptions options;
  options.max_bytes = 1 << 16;
  Reader reader(options, seen);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!reader.feed(bytes.substr(at, piece))) return seen.text + " failed";
  }
  return seen.text + (reader.finish() ? " done" : " failed");
}

template <class Reader>
void check_pieces(std::string_view bytes, std::size_t piece) {
  if (read<Reader>(bytes, bytes.size() + 1) != read<Reader>(bytes, piece)) std::abort();
}

void check_object(std::string_view bytes) {
  const auto object = codec::parse_protobuf(bytes);
  if (!object) return;
  const auto body = codec::to_protobuf(*object);
  if (!body) return;  // what one writes is stricter than what one reads
  const auto again = codec::parse_protobuf(*body);
  if (!again || !(*again == *object)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = 1 + data[0] / 3;
  switch (data[0] % 3) {
    case 0:
      check_object(bytes);
      break;
    case 1:
      check_pieces<codec::ProtobufListReader>(bytes, piece);
      break;
    default:
      check_pieces<codec::ProtobufWatchReader>(bytes, piece);
  }
  return 0;
}
