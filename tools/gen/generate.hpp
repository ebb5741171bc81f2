#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubexx/base/result.hpp"

namespace kubexx::gen {

struct Job {
  bool builtin = false;  ///< every built-in type; otherwise
  /// Of these: with clients and informers for the named groups ("core", "apps"), and what their types are made of.
  std::optional<std::vector<std::string>> groups;
  std::vector<std::string> crds;  ///< files of CustomResourceDefinitions
  std::string space;              ///< their namespace; empty: each group's first label
  std::string out;                ///< folder; empty: nothing is written
  std::string record;             ///< a file that keeps the list of what was written; empty: none
};

/// Writes the headers; what does not change is not touched, and what only an earlier run wrote, by the record, is
/// removed. The paths below the folder.
Result<std::vector<std::string>> generate(const Job& job);

}  // namespace kubexx::gen
