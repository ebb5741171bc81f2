// layers: httpd
// A connection of the embedded server, HTTP/1 or HTTP/2 by the first byte: whatever arrives is answered or refused, and
// the same requests are heard whether it arrives whole or in pieces, of the size that the second byte says. With HTTP/2
// that holds for peers that keep the rules: what a broken one may still say on a stream depends on what it was answered
// before.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "unit/httpd/session_harness.hpp"

namespace {

struct Heard {
  int requests = 0;
  bool ended = false;  ///< by the server, before the peer had said everything or with the last of it
};

Heard heard(bool http2, std::string_view bytes, std::size_t piece) {
  kubexx::httpd::ServerOptions options;
  options.max_body = 1 << 16;
  kubexx::httpd::SessionHarness peer(http2, options);
  for (std::size_t at = 0; at < bytes.size() && !peer.session().finished(); at += piece)
    peer.exchange(bytes.substr(at, piece));
  const bool ended = peer.session().finished();
  peer.session().drain();
  peer.exchange({});
  return {peer.requests, ended};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const bool http2 = data[0] % 2 == 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Heard whole = heard(http2, bytes, bytes.size() + 1);
  const Heard in_pieces = heard(http2, bytes, std::size_t{1} + data[1]);
  const bool broken = http2 && (whole.ended || in_pieces.ended);
  if (!broken && whole.requests != in_pieces.requests) std::abort();
  return 0;
}
