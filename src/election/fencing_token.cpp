#include "kubexx/election/fencing_token.hpp"

#include "base/internal/parse_number.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::election {

bool FencingToken::newer_than(const FencingToken& other) const noexcept {
  const bool numbers = meta::is_comparable_resource_version(resource_version) &&
                       meta::is_comparable_resource_version(other.resource_version);
  if (!numbers) return transitions > other.transitions;
  const auto order = meta::compare_resource_versions(resource_version, other.resource_version);
  return order && *order > 0;
}

std::string FencingToken::to_string() const {
  return std::to_string(transitions) + "/" + resource_version;
}

Result<FencingToken> FencingToken::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto transitions = parse_number<std::int64_t>(text.substr(0, slash));
  if (slash == std::string_view::npos || !transitions || *transitions < 0) {
    return Error::config("a fencing token is \"transitions/version\", not \"" + std::string(text) + "\"");
  }
  return FencingToken{*transitions, std::string(text.substr(slash + 1))};
}

}  // namespace kubexx::election
