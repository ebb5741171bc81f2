#include "informer/scope.hpp"

#include <algorithm>

#include "base/internal/text.hpp"

namespace kubexx::informer {
namespace {

std::vector<std::string> namespaces_of(const Scope& scope) {
  auto names = scope.namespaces;
  const bool all = names.empty() || std::find(names.begin(), names.end(), "") != names.end();
  if (scope.cluster_wide || all) return {""};
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// A selector of nothing has no text of its own: these ask for what cannot be.
std::string query_of(const meta::LabelSelector& selector) {
  return selector.is_nothing() ? "kubexx.none,!kubexx.none" : selector.to_string();
}
std::string query_of(const meta::FieldSelector& selector) {
  return selector.is_nothing() ? "metadata.name=" : selector.to_string();
}

}  // namespace

WholeScope::WholeScope(const Scope& scope)
    : namespaces(namespaces_of(scope)),
      label_selector(query_of(scope.label_selector.value_or(meta::LabelSelector()))),
      field_selector(query_of(scope.field_selector.value_or(meta::FieldSelector()))),
      projection(scope.projection.value_or(meta::Projection())),
      metadata_only(scope.metadata_only.value_or(false)) {}

std::string WholeScope::selectors_text() const {
  std::string text;
  if (!label_selector.empty()) text += " -l " + label_selector;
  if (!field_selector.empty()) text += " --field-selector " + field_selector;
  return text;
}

std::string WholeScope::text() const {
  const auto selectors = selectors_text();
  if (namespaces.front().empty()) return selectors.substr(selectors.empty() ? 0 : 1);
  return "in " + joined(namespaces) + selectors;
}

}  // namespace kubexx::informer
