#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kubexx/informer/options.hpp"

namespace kubexx::informer {

/// A scope with nothing left open, in one way of writing: equal ones are the same objects by the same selectors.
struct WholeScope {
  explicit WholeScope(const Scope& scope);

  std::vector<std::string> namespaces;  ///< sorted, each once; one empty name is all of them
  std::string label_selector;           ///< as a server is asked; empty: everything
  std::string field_selector;
  meta::Projection projection;
  bool metadata_only;

  /// For people: "in a,b -l app=web"; empty: all of it.
  std::string text() const;
  std::string selectors_text() const;  ///< " -l app=web"

  friend bool operator<(const WholeScope& a, const WholeScope& b) { return a.comparable() < b.comparable(); }

 private:
  std::tuple<const std::vector<std::string>&, const std::string&, const std::string&, std::string_view, bool>
  comparable() const {
    return {namespaces, label_selector, field_selector, projection.name(), metadata_only};
  }
};

}  // namespace kubexx::informer
