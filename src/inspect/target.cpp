#include "inspect/target.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/internal/text.hpp"

namespace kubexx::inspect {

Target Target::parse(std::string_view text) {
  Target target;
  const auto mark = text.find('?');
  target.path = percent_decode(text.substr(0, mark), false);
  if (mark == std::string_view::npos) return target;
  text.remove_prefix(mark + 1);
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const auto equals = std::min(part.find('='), part.size());
    target.query.emplace(percent_decode(part.substr(0, equals), true),
                         percent_decode(part.substr(std::min(equals + 1, part.size())), true));
  }
  return target;
}

std::string_view Target::text(std::string_view name) const {
  const auto [first, last] = query.equal_range(name);
  return first == last ? std::string_view() : std::string_view(std::prev(last)->second);
}

std::vector<std::string> Target::all(std::string_view name) const {
  std::vector<std::string> values;
  const auto [first, last] = query.equal_range(name);
  for (auto at = first; at != last; ++at) values.push_back(at->second);
  return values;
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
