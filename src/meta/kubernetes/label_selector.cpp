#include "kubexx/meta/label_selector.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/internal/enum_name.hpp"
#include "base/internal/parse_number.hpp"
#include "base/internal/text.hpp"
#include "kubexx/meta/validation.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

Error invalid(std::string_view where, std::string_view value, std::string_view why) {
  std::string message(where);
  message.append(": Invalid value: ").append(quote(value)).append(": ").append(why);
  return Error::decode(std::move(message));
}

/// What is wrong with the number of values, or empty.
std::string_view arity_complaint(SelectorOperator op, std::size_t count) {
  switch (op) {
    case SelectorOperator::In:
    case SelectorOperator::NotIn:
      return count == 0 ? "for 'in', 'notin' operators, values set can't be empty" : "";
    case SelectorOperator::Equals:
    case SelectorOperator::DoubleEquals:
    case SelectorOperator::NotEquals:
      return count != 1 ? "exact-match compatibility requires one single value" : "";
    case SelectorOperator::Exists:
    case SelectorOperator::DoesNotExist:
      return count != 0 ? "values set must be empty for exists and does not exist" : "";
    case SelectorOperator::GreaterThan:
    case SelectorOperator::LessThan:
      return count != 1 ? "for 'Gt', 'Lt' operators, exactly one value is required" : "";
  }
  return "unknown operator";
}

}  // namespace

std::string_view to_string(SelectorOperator op) noexcept {
  static constexpr std::string_view kNames[] = {"=", "==", "!=", "in", "notin", "exists", "!", ">", "<"};
  return enum_name<SelectorOperator::LessThan>(op, kNames, "");
}

Result<LabelRequirement> LabelRequirement::make(std::string key, SelectorOperator op, std::vector<std::string> values) {
  if (const auto complaints = check_qualified_name(key); !complaints.empty()) {
    return invalid("key", key, join_complaints(complaints));
  }
  if (const auto complaint = arity_complaint(op, values.size()); !complaint.empty()) {
    return Error::decode("values of " + key + ": " + std::string(complaint));
  }
  LabelRequirement requirement;
  for (const auto& value : values) {
    if (const auto complaints = check_label_value(value); !complaints.empty()) {
      return invalid("value of " + key, value, join_complaints(complaints));
    }
  }
  if (op == SelectorOperator::GreaterThan || op == SelectorOperator::LessThan) {
    const auto bound = parse_number<std::int64_t>(values.front());
    if (!bound) {
      return invalid("value of " + key, values.front(), "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    requirement.bound_ = *bound;
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  requirement.key_ = std::move(key);
  requirement.op_ = op;
  requirement.values_ = std::move(values);
  return requirement;
}

bool LabelRequirement::matches(std::optional<std::string_view> value) const noexcept {
  const auto listed = [&] { return std::binary_search(values_.begin(), values_.end(), *value, std::less<>()); };
  switch (op_) {
    case SelectorOperator::Equals:
    case SelectorOperator::DoubleEquals:
    case SelectorOperator::In:
      return value && listed();
    case SelectorOperator::NotEquals:
    case SelectorOperator::NotIn:
      return !value || !listed();
    case SelectorOperator::Exists:
      return value.has_value();
    case SelectorOperator::DoesNotExist:
      return !value.has_value();
    case SelectorOperator::GreaterThan:
    case SelectorOperator::LessThan: {
      const auto number = value ? parse_number<std::int64_t>(*value) : std::nullopt;
      if (!number) return false;
      return op_ == SelectorOperator::GreaterThan ? *number > bound_ : *number < bound_;
    }
  }
  return false;
}

std::string LabelRequirement::to_string() const {
  if (op_ == SelectorOperator::Exists) return key_;
  if (op_ == SelectorOperator::DoesNotExist) return "!" + key_;
  if (op_ != SelectorOperator::In && op_ != SelectorOperator::NotIn) {
    return key_ + std::string(meta::to_string(op_)) + values_.front();
  }
  std::string text = key_;
  text.append(" ").append(meta::to_string(op_)).append(" (").append(joined(values_)).append(")");
  return text;
}

LabelSelector::LabelSelector(std::vector<LabelRequirement> requirements) : requirements_(std::move(requirements)) {
  std::stable_sort(requirements_.begin(), requirements_.end(),
                   [](const auto& a, const auto& b) { return a.key() < b.key(); });
}

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

LabelSelector LabelSelector::equals(std::string key, std::string value) {
  auto requirement = LabelRequirement::make(std::move(key), SelectorOperator::Equals, {std::move(value)});
  if (!requirement) throw std::invalid_argument("LabelSelector::equals: " + requirement.error().message());
  return LabelSelector({*std::move(requirement)});
}

Result<LabelSelector> LabelSelector::from_object(Value selector) {
  if (!selector.exists() || selector.is_null()) return nothing();
  if (!selector.is_map()) return Error::decode("a label selector is an object with matchLabels and matchExpressions");
  auto labels = from_labels(selector["matchLabels"].entries());
  if (!labels) return std::move(labels).context("matchLabels");
  std::vector<LabelRequirement> requirements = std::move(labels->requirements_);
  for (const Value expression : selector["matchExpressions"].items()) {
    const auto op_text = expression["operator"].string();
    SelectorOperator op{};
    if (op_text == "In") {
      op = SelectorOperator::In;
    } else if (op_text == "NotIn") {
      op = SelectorOperator::NotIn;
    } else if (op_text == "Exists") {
      op = SelectorOperator::Exists;
    } else if (op_text == "DoesNotExist") {
      op = SelectorOperator::DoesNotExist;
    } else {
      return Error::decode("matchExpressions: " + quote(op_text) + " is not a valid label selector operator");
    }
    std::vector<std::string> values;
    for (const Value value : expression["values"].items()) values.emplace_back(value.string());
    auto requirement = LabelRequirement::make(std::string(expression["key"].string()), op, std::move(values));
    if (!requirement) return requirement.error().with_context("matchExpressions");
    requirements.push_back(*std::move(requirement));
  }
  return LabelSelector(std::move(requirements));
}

Result<LabelSelector> LabelSelector::from_labels(MapView labels) {
  std::vector<LabelRequirement> requirements;
  for (const auto& entry : labels) {
    auto requirement = LabelRequirement::make(std::string(entry.first), SelectorOperator::Equals,
                                              {std::string(entry.second.string())});
    if (!requirement) return requirement.error();
    requirements.push_back(*std::move(requirement));
  }
  return LabelSelector(std::move(requirements));
}

LabelSelector LabelSelector::with(LabelRequirement requirement) const {
  if (nothing_) return *this;
  auto requirements = requirements_;
  requirements.push_back(std::move(requirement));
  return LabelSelector(std::move(requirements));
}

std::optional<std::string> LabelSelector::required_value(std::string_view key) const {
  for (const auto& requirement : requirements_) {
    const bool exact = requirement.op() == SelectorOperator::Equals ||
                       requirement.op() == SelectorOperator::DoubleEquals || requirement.op() == SelectorOperator::In;
    if (requirement.key() == key && exact && requirement.values().size() == 1) return requirement.values().front();
  }
  return std::nullopt;
}

std::string LabelSelector::to_string() const {
  return joined(requirements_, ",", &LabelRequirement::to_string);
}

}  // namespace kubexx::meta
