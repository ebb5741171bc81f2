#pragma once

#include <string_view>

namespace kubexx::inspect {

/// A file of the page, built into the library from src/inspect/assets.
struct Asset {
  std::string_view path;  ///< "/app.js"
  std::string_view type;
  std::string_view content;
};

const Asset* find_asset(std::string_view path) noexcept;  ///< null: there is none

}  // namespace kubexx::inspect
