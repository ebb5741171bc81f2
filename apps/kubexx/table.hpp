#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubexx::app {

/// Columns of text, three spaces apart, each as wide as the widest cell so far. Cells are printable.
class TableText {
 public:
  using Cells = std::vector<std::string>;
  void widen(const Cells& cells);
  void narrow() { widths_.clear(); }
  /// One line without line break. The last column is not padded.
  std::string line(const Cells& cells) const;
  /// The same, at most `width` columns wide; cells whose bit is set in `marked` appear in `style`, the others in
  /// `base`.
  std::string line(const Cells& cells, std::size_t width, std::uint64_t marked, std::string_view style,
                   std::string_view base) const;

 private:
  std::vector<std::size_t> widths_;
};

}  // namespace kubexx::app
