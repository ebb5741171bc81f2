#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::meta {

/// One condition on one field.
struct KUBEXX_EXPORT FieldRequirement {
  std::string field = {};  ///< "metadata.name", "spec.nodeName", ...
  std::string value = {};  ///< unescaped
  bool negated = false;

  std::string to_string() const;
  friend auto operator<=>(const FieldRequirement&, const FieldRequirement&) = default;
};

/// Selects objects by fields: all requirements must hold. Which fields a kind offers is up to the server. In values
/// `\\`, `\,` and `\=` stand for backslash, comma and equals sign. An immutable value.
///
/// Example:
///
///     auto selector = meta::FieldSelector::parse("spec.nodeName=n1,status.phase!=Failed");
class KUBEXX_EXPORT FieldSelector {
 public:
  FieldSelector() = default;  ///< everything
  /// Selectors that take all, none, or those whose field has this value, or another one.
  static FieldSelector everything() { return {}; }
  static FieldSelector nothing();
  static FieldSelector equals(std::string field, std::string value);
  static FieldSelector not_equals(std::string field, std::string value);
  /// `=`, `==` and `!=`, joined by commas; empty terms are skipped.
  static Result<FieldSelector> parse(std::string_view text);

  /// `lookup(field)` answers the field's text, empty when the object does not have it: a missing field equals "".
  template <class Lookup>
  bool matches(Lookup&& lookup) const {
    if (nothing_) return false;
    for (const auto& requirement : requirements_) {
      if ((lookup(requirement.field) == requirement.value) == requirement.negated) return false;
    }
    return true;
  }

  bool empty() const noexcept { return !nothing_ && requirements_.empty(); }
  /// Whether it takes none, whatever there is.
  bool is_nothing() const noexcept { return nothing_; }
  const std::vector<FieldRequirement>& requirements() const noexcept { return requirements_; }  ///< sorted
  /// The same with one more requirement.
  FieldSelector with(FieldRequirement requirement) const;
  std::string to_string() const;  ///< canonical: sorted, `=` for `==`, values escaped; "" for nothing, too
  friend bool operator==(const FieldSelector&, const FieldSelector&) = default;

 private:
  explicit FieldSelector(std::vector<FieldRequirement> requirements);
  std::vector<FieldRequirement> requirements_;
  bool nothing_ = false;
};

/// Puts a backslash before each backslash, comma and equals sign.
KUBEXX_EXPORT std::string escape_field_value(std::string_view value);
KUBEXX_EXPORT Result<std::string> unescape_field_value(std::string_view text);

}  // namespace kubexx::meta
