#include "apiserver/http/path.hpp"

#include <vector>

#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"

namespace kubexx::apiserver {

std::string text_of(const Path* path) {
  std::vector<const Path*> parts;
  for (; path && path->parent; path = path->parent) parts.push_back(path);
  std::string out;
  for (auto it = parts.rbegin(); it != parts.rend() && out.size() <= kMostShown; ++it) {
    const Path& part = **it;
    if (part.is_index || part.is_key) {
      out.append(1, '[').append(part.is_key ? std::string(part.name) : std::to_string(part.index)).append(1, ']');
    } else {
      if (!out.empty()) out += '.';
      out += part.name;
    }
  }
  return shown(std::move(out));
}

}  // namespace kubexx::apiserver
