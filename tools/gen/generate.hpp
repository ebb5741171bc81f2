#pragma once

#include <string>
#include <vector>

#include "kubexx/base/result.hpp"

namespace kubexx::gen {

struct Job {
  bool builtin = false;           ///< every built-in type; otherwise
  std::vector<std::string> crds;  ///< files of CustomResourceDefinitions
  std::string out;                ///< folder; empty: nothing is written
};

/// Writes the headers; what does not change is not touched. The paths below the folder.
Result<std::vector<std::string>> generate(const Job& job);

}  // namespace kubexx::gen
