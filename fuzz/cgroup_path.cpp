// layers: agent
// Cgroup paths, container ids and uids of pods, which any process of a node may choose: what is read has its form, and
// lies inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kubexx/agent/identity.hpp"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

bool inside(std::string_view part, std::string_view text) {
  return part.empty() || (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx::agent;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto found = parse_cgroup(text);
  check(inside(found.container_id, text));
  check(found.container_id.empty() || found.container_id.size() == 64);
  check(found.pod.empty() || PodUid::parse(found.pod.text()) == found.pod);
  const auto id = bare_container_id(text);
  check(inside(id, text) && id.size() <= 128 && bare_container_id(id) == id);
  return 0;
}
