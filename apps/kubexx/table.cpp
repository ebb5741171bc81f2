#include "table.hpp"

#include <algorithm>

#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

constexpr std::size_t kGap = 3;

}  // namespace

void TableText::widen(const Cells& cells) {
  if (widths_.size() < cells.size()) widths_.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
}

std::string TableText::line(const Cells& cells) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += cells[i];
    if (i + 1 == cells.size()) break;
    const auto used = width_of(cells[i]);
    const auto wanted = i < widths_.size() ? std::max(widths_[i], used) : used;
    text.append(wanted - used + kGap, ' ');
  }
  return text;
}

std::string TableText::line(const Cells& cells, std::size_t width, std::uint64_t marked, std::string_view style,
                            std::string_view base) const {
  std::string text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < cells.size() && used < width; ++i) {
    const auto shown = cut_to(cells[i], width - used);
    const bool mark = i < 64 && (marked >> i & 1U) != 0;
    text += styled(shown, mark ? style : base);
    const auto taken = width_of(shown);
    used += taken;
    if (i + 1 == cells.size()) break;
    const auto wanted = i < widths_.size() ? std::max(widths_[i], taken) : taken;
    const auto gap = std::min(wanted - taken + kGap, width - used);
    text.append(gap, ' ');
    used += gap;
  }
  return text;
}

}  // namespace kubexx::app
