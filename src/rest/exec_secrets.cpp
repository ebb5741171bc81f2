#include "rest/exec_secrets.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/internal/text.hpp"
#include "base/internal/wipe.hpp"

namespace kubexx::rest {
namespace {

constexpr std::string_view kWord = "kubexx-secret-";

/// The end of the string literal that begins there, behind its quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// A literal's text, without its quotes; none where it has an escape that is not one letter.
std::optional<std::string> unescaped(std::string_view literal) {
  static constexpr std::string_view kEscapes = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (literal.size() < 2 || !literal.ends_with('"')) return std::nullopt;
  literal = literal.substr(1, literal.size() - 2);
  std::string out;
  out.reserve(literal.size());  // so that it does not move
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    const auto escape = ++i < literal.size() ? kEscapes.find(literal[i]) : std::string_view::npos;
    if (escape == std::string_view::npos) {
      wipe(out);
      return std::nullopt;
    }
    out += kMeanings[escape];
  }
  return out;
}

}  // namespace

ExecSecrets::ExecSecrets(std::string_view output) {
  json_.reserve(output.size());
  std::string_view last;  // string
  bool value_of_secret = false;
  for (std::size_t at = 0; at < output.size();) {
    const char c = output[at];
    if (c == ':') value_of_secret = last == "\"token\"" || last == "\"clientKeyData\"";
    if (c != '"') {
      if (c != ':' && !is_space(c)) value_of_secret = false;
      json_ += c;
      ++at;
      continue;
    }
    const auto end = end_of_string(output, at);
    last = output.substr(at, end - at);
    at = end;
    if (std::exchange(value_of_secret, false)) {
      take(last);
    } else {
      append_secret(json_, last);
    }
  }
}

ExecSecrets::~ExecSecrets() {
  for (auto& secret : secrets_) wipe(secret);
  wipe(json_);
}

void ExecSecrets::take(std::string_view literal) {
  auto secret = unescaped(literal);
  // An empty one is none, and the reader says what is wrong with one that it cannot read.
  if (!secret || secret->empty()) return append_secret(json_, literal);
  append_secret(json_, '"' + std::string(kWord) + std::to_string(secrets_.size()) + '"');
  secrets_.push_back(std::move(*secret));
}

std::string ExecSecrets::value(std::string_view word) const {
  std::size_t number = 0;
  if (word.starts_with(kWord)) {
    const auto digits = word.substr(kWord.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number < secrets_.size())
      return secrets_[number];
  }
  return std::string(word);
}

}  // namespace kubexx::rest
