#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// A condition to be set, as in `status.conditions[]`.
struct Condition {
  std::string type = {};
  std::string status = "Unknown";  ///< "True", "False" or "Unknown"
  std::string reason = {};
  std::string message = {};
  std::optional<std::int64_t> observed_generation = {};
};

/// The condition of this type in `status.conditions`, borrowed from the object; Absent when there is none.
KUBEXX_EXPORT Value find_condition(const Object& object, std::string_view type) noexcept;
/// The same in any list of conditions.
KUBEXX_EXPORT Value find_condition(Value conditions, std::string_view type) noexcept;
KUBEXX_EXPORT bool is_condition_true(const Object& object, std::string_view type) noexcept;
KUBEXX_EXPORT bool is_condition_false(const Object& object, std::string_view type) noexcept;

/// Adds the condition to `status.conditions` or brings it up to date; lastTransitionTime becomes `now` only when it is
/// new or its status changes. False when nothing changed, so that a controller can skip the update.
KUBEXX_EXPORT bool set_condition(Draft& draft, const Condition& condition, WallTime now);
/// The same in any list of conditions.
KUBEXX_EXPORT bool set_condition(DraftRef conditions, const Condition& condition, WallTime now);

/// False when there was none.
KUBEXX_EXPORT bool remove_condition(Draft& draft, std::string_view type);
KUBEXX_EXPORT bool remove_condition(DraftRef conditions, std::string_view type);

}  // namespace kubexx::meta
