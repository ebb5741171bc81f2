// layers: apiserver
// A continue token of a list: what is accepted is written as a token that reads as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/storage/continue_token.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kubexx::apiserver::ContinueToken;
  const auto token = ContinueToken::decode({reinterpret_cast<const char*>(data), size});
  if (!token) return 0;
  const auto again = ContinueToken::decode(token->encode());
  if (!again || again->version != token->version || again->start != token->start) std::abort();
  return 0;
}
