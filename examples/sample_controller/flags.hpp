#pragma once

#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/rest/config.hpp"

namespace sample {

/// A configuration from `--kubeconfig FILE` and `--master URL`; both may be written with "=". Says what is wrong and
/// returns nothing when there is none.
inline std::optional<kubexx::rest::Config> config_from_flags(int argc, char** argv) {
  std::string kubeconfig;
  std::string master;
  for (int i = 1; i < argc; ++i) {
    std::string_view flag(argv[i]);
    if (flag.substr(0, 2) == "--") flag.remove_prefix(1);  // one dash will do, as in Go
    const auto equals = flag.find('=');
    const auto name = flag.substr(0, equals);
    std::string* const value = name == "-kubeconfig" ? &kubeconfig : name == "-master" ? &master : nullptr;
    if (!value || (equals == std::string_view::npos && i + 1 == argc)) {
      std::cerr << "usage: " << argv[0] << " [--kubeconfig FILE] [--master URL]\n";
      return std::nullopt;
    }
    *value = equals == std::string_view::npos ? argv[++i] : std::string(flag.substr(equals + 1));
  }
  auto config = kubexx::rest::build_config_from_flags(master, kubeconfig);
  if (!config) {
    std::cerr << config.error() << '\n';
    return std::nullopt;
  }
  return std::move(*config);
}

}  // namespace sample
