#include "kubexx/controller/finalizer.hpp"

#include <algorithm>

#include "controller/conditional_patch.hpp"

namespace kubexx::controller {
namespace {

client::WriteOptions write_options(const client::CallOptions& options) {
  client::WriteOptions write;
  write.stop = options.stop;
  write.timeout = options.timeout;
  return write;
}

}  // namespace

bool has_finalizer(const meta::Object& object, std::string_view finalizer) noexcept {
  const auto all = object.finalizers();
  return std::any_of(all.begin(), all.end(), [&](meta::Value one) { return one.string() == finalizer; });
}

bool add_finalizer(meta::Draft& draft, std::string_view finalizer) {
  const auto all = draft["metadata"]["finalizers"];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].string() == finalizer) return false;
  }
  all.append(finalizer);
  return true;
}

bool remove_finalizer(meta::Draft& draft, std::string_view finalizer) {
  const auto all = draft["metadata"]["finalizers"];
  bool removed = false;
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].string() != finalizer) continue;
    all[i].erase();
    removed = true;
  }
  return removed;
}

Result<meta::Object> ensure_finalizer(const client::ResourceApi& api, const meta::Object& object,
                                      std::string_view finalizer, const client::CallOptions& options) {
  auto draft = object.edit();
  if (!add_finalizer(draft, finalizer)) return object;
  return patch_unless_changed(api, draft, write_options(options));
}

Result<meta::Object> drop_finalizer(const client::ResourceApi& api, const meta::Object& object,
                                    std::string_view finalizer, const client::CallOptions& options) {
  auto draft = object.edit();
  if (!remove_finalizer(draft, finalizer)) return object;
  auto patched = patch_unless_changed(api, draft, write_options(options));
  if (!patched && patched.error().is_not_found()) return draft.to_object();
  return patched;
}

Result<Finalized> finalize(const client::ResourceApi& api, const meta::Object& object, std::string_view finalizer,
                           const std::function<Result<void>(const meta::Object&)>& cleanup,
                           const client::CallOptions& options) {
  if (object.deletion_timestamp().empty()) {
    auto ensured = ensure_finalizer(api, object, finalizer, options);
    if (!ensured) return ensured.error();
    return Finalized{std::move(*ensured), false};
  }
  if (!has_finalizer(object, finalizer)) return Finalized{object, true};
  if (auto cleaned = cleanup(object); !cleaned) return cleaned.error();
  auto dropped = drop_finalizer(api, object, finalizer, options);
  if (!dropped) return dropped.error();
  return Finalized{std::move(*dropped), true};
}

}  // namespace kubexx::controller
