#include "kubexx/delta/intake.hpp"

#include "kubexx/base/error_sink.hpp"

namespace kubexx::delta {
namespace {

template <class F>
auto guarded(F function) -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    return current_exception_as_error();
  }
}

Error no_key(const meta::Object& object) {
  return Error::config(object ? "key of an object: it has no metadata.name" : "key of an object: it is null");
}

}  // namespace

Result<meta::KeyedObject> Intake::take(meta::Object object) const {
  if (transform_) {
    auto changed = guarded([&] { return transform_(std::move(object)); });
    if (!changed) return changed.error().with_context("transform");
    object = std::move(*changed);
  }
  if (!key_func_) {
    auto key = meta::Key::of(object);
    if (key.empty()) return no_key(object);
    return meta::KeyedObject{std::move(key), std::move(object)};
  }
  if (!object) return no_key(object);
  const auto key = guarded([&] { return key_func_(object); });
  if (!key) return key.error().with_context("key of an object");
  if (key->empty()) return Error::config("key of an object: it is empty");
  return meta::KeyedObject{meta::Key(*key), std::move(object)};
}

Result<std::vector<meta::KeyedObject>> Intake::take(std::vector<meta::Object> objects) const {
  std::vector<meta::KeyedObject> taken;
  taken.reserve(objects.size());
  for (auto& object : objects) {
    auto each = take(std::move(object));
    if (!each) return each.error().with_context("replace");
    taken.push_back(std::move(*each));
  }
  return taken;
}

}  // namespace kubexx::delta
