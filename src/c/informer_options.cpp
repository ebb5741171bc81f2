#include <algorithm>
#include <utility>
#include <vector>

#include "c/boundary.hpp"
#include "c/informer.hpp"
#include "c/options.hpp"

namespace kubexx::c {
namespace {

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= path.size();) {
    const auto dot = std::min(path.find('.', from), path.size());
    names.push_back(path.substr(from, dot - from));
    if (names.back().empty()) invalid("\"" + path + "\" is no path of fields such as spec.nodeName");
    from = dot + 1;
  }
  return names;
}

std::string scalar_text(const meta::Value& value) {
  if (const auto text = value.get_string()) return std::string(*text);
  return value.is_null() ? std::string() : meta::to_json(value);
}

/// The values that a path of names leads to; through lists to all of their items.
void collect(const meta::Value& value, const std::vector<std::string>& names, std::size_t at,
             std::vector<std::string>& found) {
  if (value.is_list()) {
    for (const auto& item : value.items()) collect(item, names, at, found);
  } else if (at < names.size()) {
    if (const auto next = value[names[at]]; next.exists()) collect(next, names, at + 1, found);
  } else if (!value.is_map()) {
    found.push_back(scalar_text(value));
  }
}

store::IndexFunc field_index(const std::string& path) {
  return [names = split_path(path)](const meta::Object& object) -> Result<std::vector<std::string>> {
    std::vector<std::string> found;
    collect(object.root(), names, 0, found);
    return found;
  };
}

store::Indexers read_indexers(const Given& given) {
  auto indexers = store::namespace_indexers();
  const auto add = [&](const std::string& name, store::IndexFunc function) {
    if (!indexers.emplace(name, std::move(function)).second) invalid("there are two indexes of the name " + name);
  };
  for (auto& [name, label] : given.pairs(KUBEXX_OPTION_LABEL_INDEX)) add(name, store::label_index(std::move(label)));
  for (auto& [name, path] : given.pairs(KUBEXX_OPTION_FIELD_INDEX)) add(name, field_index(path));
  return indexers;
}

/// A condition on one field; a field that an object does not have reads as "".
struct FieldCondition {
  std::vector<std::string> names;
  std::string value;
  bool negated;

  bool holds(const meta::Object& object) const {
    meta::Value at = object.root();
    for (const auto& name : names) at = at[name];
    return (scalar_text_or_empty(at) == value) != negated;
  }
  static std::string scalar_text_or_empty(const meta::Value& at) {
    return at.exists() && !at.is_map() && !at.is_list() ? scalar_text(at) : std::string();
  }
};

std::function<bool(const meta::Object&)> read_filter(const Given& given) {
  if (!given.has(KUBEXX_OPTION_FILTER_LABELS) && !given.has(KUBEXX_OPTION_FILTER_FIELDS)) return {};
  auto labels = well_formed(meta::LabelSelector::parse(given.text(KUBEXX_OPTION_FILTER_LABELS)));
  std::vector<FieldCondition> fields;
  const auto selector = well_formed(meta::FieldSelector::parse(given.text(KUBEXX_OPTION_FILTER_FIELDS)));
  for (const auto& each : selector.requirements()) {
    fields.push_back({split_path(each.field), each.value, each.negated});
  }
  return [labels = std::move(labels), fields = std::move(fields)](const meta::Object& object) {
    return labels.matches(object) &&
           std::ranges::all_of(fields, [&](const FieldCondition& each) { return each.holds(object); });
  };
}

informer::Scope read_scope(const Given& given) {
  informer::Scope scope;
  scope.namespaces = given.texts(KUBEXX_OPTION_NAMESPACE);
  if (given.has(KUBEXX_OPTION_LABEL_SELECTOR)) {
    scope.label_selector = well_formed(meta::LabelSelector::parse(given.text(KUBEXX_OPTION_LABEL_SELECTOR)));
  }
  if (given.has(KUBEXX_OPTION_FIELD_SELECTOR)) {
    scope.field_selector = well_formed(meta::FieldSelector::parse(given.text(KUBEXX_OPTION_FIELD_SELECTOR)));
  }
  if (given.has(KUBEXX_OPTION_PROJECTION)) {
    scope.projection = well_formed(meta::Projection::paths(given.texts(KUBEXX_OPTION_PROJECTION)));
  }
  if (given.has(KUBEXX_OPTION_METADATA_ONLY)) scope.metadata_only = given.flag(KUBEXX_OPTION_METADATA_ONLY);
  return scope;
}

}  // namespace

informer::InformerOptions informer_options(const kubexx_options* options) {
  const Given given(options, {KUBEXX_OPTION_NAMESPACE, KUBEXX_OPTION_LABEL_SELECTOR, KUBEXX_OPTION_FIELD_SELECTOR,
                              KUBEXX_OPTION_NAME, KUBEXX_OPTION_PROJECTION, KUBEXX_OPTION_METADATA_ONLY,
                              KUBEXX_OPTION_FILTER_LABELS, KUBEXX_OPTION_FILTER_FIELDS, KUBEXX_OPTION_LABEL_INDEX,
                              KUBEXX_OPTION_FIELD_INDEX, KUBEXX_OPTION_RESYNC_MS, KUBEXX_OPTION_PAGE_SIZE,
                              KUBEXX_OPTION_STALE_AFTER_MS, KUBEXX_OPTION_VERIFY_EVERY_MS});
  informer::InformerOptions read;
  read.scope = read_scope(given);
  read.indexers = read_indexers(given);
  read.admit = read_filter(given);
  read.name = given.text(KUBEXX_OPTION_NAME);
  read.resync_period = given.milliseconds(KUBEXX_OPTION_RESYNC_MS);
  read.page_size = given.number(KUBEXX_OPTION_PAGE_SIZE);
  read.stale_after = given.milliseconds(KUBEXX_OPTION_STALE_AFTER_MS);
  read.verify_every = given.milliseconds(KUBEXX_OPTION_VERIFY_EVERY_MS);
  return read;
}

}  // namespace kubexx::c
