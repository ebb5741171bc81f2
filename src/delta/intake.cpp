#include "kubexx/delta/intake.hpp"

#include "kubexx/base/error_sink.hpp"
#include "meta/internal/make_key.hpp"

namespace kubexx::delta {

Result<meta::KeyedObject> Intake::take(meta::Object object) const {
  if (transform_) {
    try {
      auto changed = transform_(std::move(object));
      if (!changed) return changed.error().with_context("transform");
      object = std::move(*changed);
    } catch (...) {
      return current_exception_as_error().with_context("transform");
    }
  }
  auto key = meta::make_key(object, key_func_);
  if (!key) return key.error();
  return meta::KeyedObject{std::move(*key), std::move(object)};
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
