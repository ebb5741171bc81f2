#include "text.hpp"

#include <wchar.h>

#include <algorithm>

namespace kubexx::app {
namespace {

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The first code point; overlong forms, surrogates and cut sequences are not valid.
Letter first_letter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || lead >= 0xF5 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = (code << 6) | (next & 0x3F);
  }
  if ((bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000) || code > 0x10FFFF) return {};
  if (code >= 0xD800 && code < 0xE000) return {};
  return {code, bytes, true};
}

bool is_control(char32_t code) {
  // C0, C1, and the marks that turn the direction of what follows.
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto letter = first_letter(text);
    if (!letter.valid || (is_control(letter.code) && letter.code >= 0x7F)) {
      shown += '?';
    } else if (is_control(letter.code)) {
      shown += '^';
      shown += static_cast<char>(letter.code + '@');
    } else {
      shown += text.substr(0, letter.bytes);
    }
    text.remove_prefix(letter.bytes);
  }
  return shown;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return printable(line);
}

std::string cell_text(std::string_view text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return printable(text);
  return printable(text.substr(0, end)) + "...";
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto letter = first_letter(text);
    const int columns = letter.code < 0x80 ? 1 : wcwidth(static_cast<wchar_t>(letter.code));
    width += columns < 0 ? 1 : static_cast<std::size_t>(columns);
    text.remove_prefix(letter.bytes);
  }
  return width;
}

std::string_view cut_to(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const auto letter = first_letter(text.substr(at));
    used += width_of(text.substr(at, letter.bytes));
    if (used > width) break;
    at += letter.bytes;
  }
  return text.substr(0, at);
}

}  // namespace kubexx::app
