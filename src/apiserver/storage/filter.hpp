#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "apiserver/schema/resource.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/field_selector.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// Which objects of a resource a list or watch shows.
class Filter {
 public:
  /// 400 for selectors that do not parse and for fields that the resource cannot be selected by.
  static Result<Filter> make(const Resource& resource, std::string_view namespace_, std::string_view name,
                             const meta::ListOptions& options);

  bool matches(const meta::Object& object) const;
  bool matches_key(std::string_view key) const noexcept { return key.starts_with(prefix_); }
  const std::string& prefix() const noexcept { return prefix_; }  ///< of the storage keys
  bool selective() const noexcept { return !labels_.empty() || !fields_.empty(); }

 private:
  std::string prefix_;
  meta::LabelSelector labels_;
  meta::FieldSelector fields_;
};

/// The text of a selectable field; a missing one is "".
std::string field_text(const meta::Object& object, std::string_view field);

}  // namespace kubexx::apiserver
