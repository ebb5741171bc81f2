#include "kubexx/meta/resource_version.hpp"

#include <algorithm>
#include <string>

namespace kubexx::meta {

namespace {

std::string_view without_leading_zeros(std::string_view digits) noexcept {
  const auto first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

}  // namespace

bool is_comparable_resource_version(std::string_view version) noexcept {
  return !version.empty() && std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b) {
  for (const auto version : {a, b}) {
    if (!is_comparable_resource_version(version)) {
      return Error::decode("resourceVersion \"" + std::string(version.substr(0, 100)) + "\" is not a decimal number");
    }
  }
  a = without_leading_zeros(a);
  b = without_leading_zeros(b);
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

}  // namespace kubexx::meta
