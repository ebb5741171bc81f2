#include "kubexx/controller/predicate.hpp"

#include <algorithm>
#include <stdexcept>

namespace kubexx::controller {
namespace {

bool same(const meta::MapView& a, const meta::MapView& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const auto& entry) { return b[entry.first] == entry.second; });
}

/// Passes adds and deletes, and updates for which `differ` holds.
template <class F>
Predicate::Function on_update(F differ) {
  return [differ](const Change& change) { return !change.is_update() || differ(change.before, change.after); };
}

}  // namespace

Predicate Predicate::custom(Function function) {
  if (!function) throw std::invalid_argument("predicate: no function");
  return Predicate(std::move(function));
}

Predicate Predicate::generation_changed() {
  return Predicate(
      on_update([](const meta::Object& a, const meta::Object& b) { return a.generation() != b.generation(); }));
}

Predicate Predicate::labels_changed() {
  return Predicate(
      on_update([](const meta::Object& a, const meta::Object& b) { return !same(a.labels(), b.labels()); }));
}

Predicate Predicate::annotations_changed() {
  return Predicate(
      on_update([](const meta::Object& a, const meta::Object& b) { return !same(a.annotations(), b.annotations()); }));
}

Predicate Predicate::fields_changed(std::vector<std::string> json_pointers) {
  return Predicate(on_update([paths = std::move(json_pointers)](const meta::Object& a, const meta::Object& b) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return !(a.at(path) == b.at(path)); });
  }));
}

Predicate Predicate::version_changed() {
  return Predicate(on_update(
      [](const meta::Object& a, const meta::Object& b) { return a.resource_version() != b.resource_version(); }));
}

Predicate operator&&(Predicate a, Predicate b) {
  return Predicate([a = std::move(a), b = std::move(b)](const Change& change) { return a(change) && b(change); });
}

Predicate operator||(Predicate a, Predicate b) {
  return Predicate([a = std::move(a), b = std::move(b)](const Change& change) { return a(change) || b(change); });
}

Predicate operator!(Predicate a) {
  return Predicate([a = std::move(a)](const Change& change) { return !a(change); });
}

}  // namespace kubexx::controller
