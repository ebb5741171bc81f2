// layers: meta
// Two JSON objects and then paths, with zero bytes between: the first, edited to be the second, is the second; its
// patches read as JSON; a place that a path leads to can be read, set and taken away.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx::meta;

std::string_view cut(std::string_view& text) {
  const auto at = std::min(text.find('\0'), text.size());
  const auto part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

void check_patches(const Draft& draft) {
  if (!parse_json(draft.merge_patch())) std::abort();
  const auto operations = parse_json(R"({"all":)" + draft.json_patch() + "}");
  if (!operations || (draft.changed() != ((*operations)["all"].size() > 0))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto before = parse_json(cut(text));
  const auto after = parse_json(cut(text));
  if (!before || !after) return 0;

  Draft draft(*before);
  draft.root().set(after->root());
  if (to_json(draft.to_object()) != to_json(*after)) std::abort();
  check_patches(draft);

  for (int most = 16; !text.empty() && most > 0; --most) {
    const auto place = draft.at(cut(text));
    const bool there = place.exists();
    place.set("x");
    if (there && place.get_string() != "x") std::abort();
    if (most % 2 == 0) place.erase();
    if (!parse_json(to_json(draft.to_object()))) std::abort();
  }
  check_patches(draft);
  return 0;
}
