#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "paths.hpp"

namespace kubexx::codec::test {

/// Exchanges recorded from a real server, beside the source tree; empty: there are none here.
inline std::filesystem::path traces() {
  for (const auto* up : {"/../shared/traces", "/../../shared/traces"}) {
    const std::filesystem::path folder = std::string(KUBEXX_SOURCE_DIR) + up;
    if (std::filesystem::is_directory(folder)) return folder;
  }
  return {};
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace kubexx::codec::test
