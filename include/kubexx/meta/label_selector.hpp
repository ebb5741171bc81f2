#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// How a requirement compares.
enum class SelectorOperator : std::uint8_t {
  Equals,
  DoubleEquals,  ///< means the same as Equals, printed as written
  NotEquals,
  In,
  NotIn,
  Exists,
  DoesNotExist,
  GreaterThan,
  LessThan,
};
KUBEXX_EXPORT std::string_view to_string(SelectorOperator op) noexcept;  ///< "=", "in", "exists", ...

/// One condition on one label. Only valid ones exist.
class KUBEXX_EXPORT LabelRequirement {
 public:
  /// Checks key and values by the API server's rules. Equals, NotEquals, GreaterThan and LessThan take one value (the
  /// latter two an integer), In and NotIn at least one, Exists and DoesNotExist none.
  static Result<LabelRequirement> make(std::string key, SelectorOperator op, std::vector<std::string> values = {});

  /// The label, and how it is compared.
  const std::string& key() const noexcept { return key_; }
  SelectorOperator op() const noexcept { return op_; }
  const std::vector<std::string>& values() const noexcept { return values_; }  ///< sorted, each once

  /// Whether the label's value satisfies it; nullopt: the object has no such label. NotEquals, NotIn and DoesNotExist
  /// hold for a missing label, everything else does not.
  bool matches(std::optional<std::string_view> value) const noexcept;
  std::string to_string() const;
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;

 private:
  LabelRequirement() = default;
  std::string key_;
  SelectorOperator op_ = SelectorOperator::Exists;
  std::vector<std::string> values_;
  std::int64_t bound_ = 0;  // the value of GreaterThan and LessThan
};

/// Selects objects by their labels: all requirements must hold. An immutable value.
///
/// Example:
///
///     auto selector = meta::LabelSelector::parse("app=web,tier in (a,b),!canary");
///     if (selector && selector->matches(pod)) greet(pod.name());
class KUBEXX_EXPORT LabelSelector {
 public:
  LabelSelector() = default;  ///< everything
  /// Selectors that take all, or none.
  static LabelSelector everything() { return {}; }
  static LabelSelector nothing();
  /// For keys and values that the program knows; an invalid one throws std::invalid_argument.
  static LabelSelector equals(std::string key, std::string value);
  /// The text form of the API: `=`, `==`, `!=`, `in (...)`, `notin (...)`, `key`, `!key`, `>`, `<`, joined by commas.
  static Result<LabelSelector> parse(std::string_view text);
  /// A LabelSelector object {matchLabels, matchExpressions}. Absent and null select nothing, {} everything.
  static Result<LabelSelector> from_object(Value selector);
  /// All of these labels, as a Service or ReplicationController selects (its `spec.selector`).
  static Result<LabelSelector> from_labels(MapView labels);

  /// Whether these labels, or those of the object, fulfil every requirement.
  bool matches(MapView labels) const noexcept {
    return matches_with([&](const std::string& key) -> std::optional<std::string_view> {
      const Value value = labels[key];
      return value.exists() ? std::optional(value.string()) : std::nullopt;
    });
  }
  bool matches(const Object& object) const noexcept { return matches(object.labels()); }
  /// `lookup(key)` answers std::optional<std::string_view>.
  template <class Lookup>
  bool matches_with(Lookup&& lookup) const {
    if (nothing_) return false;
    for (const auto& requirement : requirements_) {
      if (!requirement.matches(lookup(requirement.key()))) return false;
    }
    return true;
  }

  bool empty() const noexcept { return !nothing_ && requirements_.empty(); }  ///< selects everything
  /// Whether it takes none, whatever there is.
  bool is_nothing() const noexcept { return nothing_; }
  const std::vector<LabelRequirement>& requirements() const noexcept { return requirements_; }  ///< sorted by key
  /// The same with one more requirement.
  LabelSelector with(LabelRequirement requirement) const;
  /// The value that this label must have, when there is only one.
  std::optional<std::string> required_value(std::string_view key) const;
  /// Canonical: sorted by key, values sorted. Nothing has no text form and answers "" like everything: ask
  /// is_nothing() before sending it.
  std::string to_string() const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;

 private:
  explicit LabelSelector(std::vector<LabelRequirement> requirements);
  std::vector<LabelRequirement> requirements_;
  bool nothing_ = false;
};

}  // namespace kubexx::meta
