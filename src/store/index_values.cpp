#include "store/index_values.hpp"

#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "meta/internal/key_parts.hpp"

namespace kubexx::store {

IndexDefinition::IndexDefinition(std::string name, IndexFunc function)
    : name_(std::move(name)), function_(std::move(function)) {
  using Plain = Result<std::vector<std::string>> (*)(const meta::Object&);
  if (const Plain* plain = function_.target<Plain>(); plain != nullptr && *plain == &meta_namespace_index) {
    kind_ = Kind::Namespace;
  } else if (const auto* label = function_.target<LabelIndex>(); label != nullptr) {
    kind_ = Kind::Label;
    label_ = label->label;
  }
}

void IndexDefinition::evaluate(const meta::Object& object, Values& into, std::atomic<std::uint64_t>& errors) const {
  into.borrowed_ = false;
  into.owned_.clear();
  if (kind_ == Kind::Namespace && object.has_metadata()) {
    into.borrowed_ = true;
    into.view_ = meta::key_parts(object).space;
    return;
  }
  if (kind_ == Kind::Label) {
    const auto value = object.labels()[label_].get_string();
    into.borrowed_ = value.has_value();
    into.view_ = value.value_or(std::string_view());
    return;
  }
  const auto failed = [&](const Error& error) {
    errors.fetch_add(1, std::memory_order_relaxed);
    report_error(error.with_context("index " + name_), "index function");
  };
  try {
    auto values = function_(object);
    if (values) {
      into.owned_ = std::move(*values);
    } else {
      failed(values.error());
    }
  } catch (...) {
    failed(current_exception_as_error());
  }
}

}  // namespace kubexx::store
