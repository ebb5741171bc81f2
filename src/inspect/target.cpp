#include "inspect/target.hpp"

#include <algorithm>
#include <charconv>

namespace kubexx::inspect {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A percent sign that escapes nothing stands for itself.
std::string unescape(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

Target Target::parse(std::string_view text) {
  Target target;
  const auto mark = text.find('?');
  target.path = unescape(text.substr(0, mark), false);
  if (mark == std::string_view::npos) return target;
  text.remove_prefix(mark + 1);
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const auto equals = std::min(part.find('='), part.size());
    target.query[unescape(part.substr(0, equals), true)] =
        unescape(part.substr(std::min(equals + 1, part.size())), true);
  }
  return target;
}

std::string_view Target::text(std::string_view name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string_view() : std::string_view(found->second);
}

std::size_t Target::number(std::string_view name, std::size_t fallback, std::size_t most) const {
  const auto digits = text(name);
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return most;
  if (error != std::errc() || end != digits.data() + digits.size()) return fallback;
  return std::min(value, most);
}

}  // namespace kubexx::inspect
