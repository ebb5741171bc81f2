#include "kubexx/meta/field_selector.hpp"

#include <algorithm>
#include <utility>

#include "base/internal/text.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

bool is_special(char c) {
  return c == '\\' || c == ',' || c == '=';
}

/// The position of the first comma that no backslash precedes, or npos.
std::size_t find_separator(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      return i;
    }
  }
  return std::string_view::npos;
}

Result<FieldRequirement> parse_term(std::string_view term) {
  const auto equals = term.find('=');
  if (equals == std::string_view::npos) return Error::decode("invalid field selector: can't understand " + quote(term));
  const bool negated = equals > 0 && term[equals - 1] == '!';
  const bool doubled = !negated && equals + 1 < term.size() && term[equals + 1] == '=';
  const auto field = term.substr(0, equals - (negated ? 1 : 0));
  if (field.empty()) return Error::decode("invalid field selector: no field in " + quote(term));
  auto value = unescape_field_value(term.substr(equals + (doubled ? 2 : 1)));
  if (!value) return value.error();
  return FieldRequirement{std::string(field), *std::move(value), negated};
}

}  // namespace

std::string escape_field_value(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  for (const char c : value) {
    if (is_special(c)) text += '\\';
    text += c;
  }
  return text;
}

Result<std::string> unescape_field_value(std::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (i + 1 == text.size() || !is_special(text[i + 1])) {
        return Error::decode("invalid field selector: invalid escape sequence in " + quote(text));
      }
      ++i;
    } else if (is_special(text[i])) {
      return Error::decode("invalid field selector: unescaped '" + std::string(1, text[i]) + "' in " + quote(text));
    }
    value += text[i];
  }
  return value;
}

std::string FieldRequirement::to_string() const {
  return field + (negated ? "!=" : "=") + escape_field_value(value);
}

FieldSelector::FieldSelector(std::vector<FieldRequirement> requirements) : requirements_(std::move(requirements)) {
  std::sort(requirements_.begin(), requirements_.end());
}

FieldSelector FieldSelector::nothing() {
  FieldSelector selector;
  selector.nothing_ = true;
  return selector;
}

FieldSelector FieldSelector::equals(std::string field, std::string value) {
  return FieldSelector({FieldRequirement{std::move(field), std::move(value), false}});
}

FieldSelector FieldSelector::not_equals(std::string field, std::string value) {
  return FieldSelector({FieldRequirement{std::move(field), std::move(value), true}});
}

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  std::vector<FieldRequirement> requirements;
  while (!text.empty()) {
    const auto end = find_separator(text);
    const auto term = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (term.empty()) continue;
    auto requirement = parse_term(term);
    if (!requirement) return requirement.error();
    requirements.push_back(*std::move(requirement));
  }
  return FieldSelector(std::move(requirements));
}

FieldSelector FieldSelector::with(FieldRequirement requirement) const {
  if (nothing_) return *this;
  auto requirements = requirements_;
  requirements.push_back(std::move(requirement));
  return FieldSelector(std::move(requirements));
}

std::string FieldSelector::to_string() const {
  return joined(requirements_, ",", &FieldRequirement::to_string);
}

}  // namespace kubexx::meta
