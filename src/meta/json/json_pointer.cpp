#include "meta/internal/json_pointer.hpp"

#include "base/internal/parse_number.hpp"

namespace kubexx::meta::detail {

std::optional<std::string> unescape_token(std::string_view token) {
  std::string text;
  text.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      text += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    text += token[i] == '0' ? '~' : '/';
  }
  return text;
}

void append_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::optional<std::size_t> parse_index(std::string_view token) noexcept {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  return parse_number<std::size_t>(token);
}

Value step(Value here, std::string_view token) noexcept {
  if (here.is_list()) {
    const auto index = parse_index(token);
    return index ? here[*index] : Value();
  }
  if (token.find('~') == std::string_view::npos) return here[token];
  // Compared in place of unescaping, which could fail for want of memory.
  for (const auto& [key, value] : here.entries()) {
    std::size_t at = 0;
    bool same = true;
    for (std::size_t i = 0; same && i < token.size(); ++i, ++at) {
      char c = token[i];
      if (c == '~') {
        if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return {};
        c = token[i] == '0' ? '~' : '/';
      }
      same = at < key.size() && key[at] == c;
    }
    if (same && at == key.size()) return value;
  }
  return {};
}

}  // namespace kubexx::meta::detail
