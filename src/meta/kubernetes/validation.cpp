#include "kubexx/meta/validation.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/internal/text.hpp"

namespace kubexx::meta {

namespace {

constexpr std::string_view kLabelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kDns1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kValuePattern = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_lower_alnum(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_alnum(char c) {
  return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

bool matches_label(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool matches_subdomain(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!matches_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool matches_name(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t limit) {
  return "must be no more than " + std::to_string(limit) + " bytes";
}

std::string against_pattern(std::string_view rule, std::string_view pattern,
                            std::initializer_list<std::string_view> examples) {
  std::string text(rule);
  text += " (e.g. ";
  text +=
      joined(examples, " or ", [](std::string_view example) { return std::string("'").append(example).append("', "); });
  text.append("regex used for validation is '").append(pattern).append("')");
  return text;
}

std::string name_complaint() {
  return against_pattern(kNameRule, kNamePattern, {"MyName", "my.name", "123-abc"});
}

}  // namespace

Complaints check_dns1123_label(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxLabelLength) complaints.push_back(too_long(kMaxLabelLength));
  if (!matches_label(text)) {
    if (matches_subdomain(text)) {
      complaints.emplace_back("must not contain dots");
    } else {
      complaints.push_back(against_pattern(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
          "end with an alphanumeric character",
          kLabelPattern, {"my-name", "123-abc"}));
    }
  }
  return complaints;
}

Complaints check_dns1123_subdomain(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxSubdomainLength) complaints.push_back(too_long(kMaxSubdomainLength));
  if (!matches_subdomain(text)) {
    complaints.push_back(against_pattern(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
        "start and end with an alphanumeric character",
        kSubdomainPattern, {"example.com"}));
  }
  return complaints;
}

Complaints check_dns1035_label(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxLabelLength) complaints.push_back(too_long(kMaxLabelLength));
  if (!matches_label(text) || !is_lower(text.front())) {
    complaints.push_back(against_pattern(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character",
        kDns1035Pattern, {"my-name", "abc-123"}));
  }
  return complaints;
}

Complaints check_path_segment(std::string_view text) {
  if (text == "." || text == "..") return {"may not be '" + std::string(text) + "'"};
  Complaints complaints;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) complaints.push_back(std::string("may not contain '") + c + "'");
  }
  return complaints;
}

Complaints check_qualified_name(std::string_view text) {
  Complaints complaints;
  const auto slash = text.find('/');
  auto name = text;
  if (slash != std::string_view::npos) {
    if (text.find('/', slash + 1) != std::string_view::npos) {
      return {"a valid label key " + name_complaint() +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    name = text.substr(slash + 1);
    if (slash == 0) {
      complaints.emplace_back("prefix part must be non-empty");
    } else {
      for (const auto& complaint : check_dns1123_subdomain(text.substr(0, slash))) {
        complaints.push_back("prefix part " + complaint);
      }
    }
  }
  if (name.empty()) complaints.emplace_back("name part must be non-empty");
  if (name.size() > kMaxLabelLength) complaints.push_back("name part " + too_long(kMaxLabelLength));
  if (!matches_name(name)) complaints.push_back("name part " + name_complaint());
  return complaints;
}

Complaints check_label_value(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxLabelLength) complaints.push_back(too_long(kMaxLabelLength));
  if (!text.empty() && !matches_name(text)) {
    complaints.push_back(
        against_pattern("a valid label must be an empty string or consist of alphanumeric characters, "
                        "'-', '_' or '.', and must start and end with an alphanumeric character",
                        kValuePattern, {"MyValue", "my_value", "12345"}));
  }
  return complaints;
}

std::string join_complaints(const Complaints& complaints) {
  return joined(complaints, "; ");
}

}  // namespace kubexx::meta
