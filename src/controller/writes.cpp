#include "kubexx/controller/writes.hpp"

#include "controller/conditional_patch.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/controller/owner_reference.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::controller {

client::ResourceApi in_namespace_of(const client::ResourceApi& api, std::string_view namespace_) {
  if (namespace_.empty() || !api.namespace_().empty()) return api;
  return api.namespaced(std::string(namespace_));
}

Result<meta::Object> patch_unless_changed(const client::ResourceApi& api, const meta::Draft& draft,
                                          const client::WriteOptions& options) {
  const meta::Object& original = draft.original();
  auto parsed = meta::parse_json(draft.merge_patch());
  if (!parsed) return parsed.error();
  auto patch = parsed->edit();
  patch["metadata"]["resourceVersion"].set(original.resource_version());
  return in_namespace_of(api, original.namespace_())
      .patch(original.name(), client::PatchType::Merge, meta::to_json(patch.to_object()), options);
}

Result<Written<meta::Object>> create_or_update(const client::ResourceApi& api, const meta::GroupVersionKind& kind,
                                               const meta::ObjectKey& key,
                                               const std::function<Result<void>(meta::Draft&)>& mutate,
                                               const client::WriteOptions& options) {
  const auto here = in_namespace_of(api, key.namespace_);
  auto found = here.get(key.name, {.stop = options.stop, .timeout = options.timeout});
  if (!found && !found.error().is_not_found()) return found.error();

  meta::Draft draft = found ? found->edit() : meta::Draft();
  if (!found) {
    draft["apiVersion"].set(kind.api_version());
    draft["kind"].set(kind.kind);
    draft["metadata"]["name"].set(key.name);
    if (!key.namespace_.empty()) draft["metadata"]["namespace"].set(key.namespace_);
  }
  if (auto mutated = mutate(draft); !mutated) return mutated.error();
  if (draft["metadata"]["name"].string() != key.name || draft["metadata"]["namespace"].string() != key.namespace_) {
    return Error::config("create_or_update: the name or namespace of " + key.to_string() + " was changed");
  }
  if (found && !draft.changed()) return Written<meta::Object>{std::move(*found), Operation::None};
  auto written = found ? patch_unless_changed(here, draft, options) : here.create(draft.to_object(), options);
  if (!written) return written.error();
  return Written<meta::Object>{std::move(*written), found ? Operation::Updated : Operation::Created};
}

Result<meta::Object> apply(const client::ResourceApi& api, const meta::Object& desired, std::string_view field_manager,
                           const client::CallOptions& options, std::string_view subresource) {
  auto draft = desired.edit();
  draft["metadata"]["resourceVersion"].erase();
  draft["metadata"]["managedFields"].erase();
  client::WriteOptions write;
  write.field_manager = field_manager;
  write.force = true;
  write.stop = options.stop;
  write.timeout = options.timeout;
  return in_namespace_of(api, desired.namespace_()).apply(draft.to_object(), write, subresource);
}

namespace detail {

bool wait_for_next_try(const ConflictRetry& options, BackoffTimer& timer, int done) {
  return done < options.tries && !wait_for_stop(options.stop, timer.next());
}

Result<void> set_reference(const meta::Object& owner, meta::DraftRef owned, bool controller,
                           const meta::OwnerReferenceOptions& options) {
  meta::Draft copy;
  copy["metadata"].set(owned["metadata"]);
  auto set = controller ? meta::set_controller_reference(owner, copy, options)
                        : meta::set_owner_reference(owner, copy, options);
  if (set) owned["metadata"]["ownerReferences"].set(copy["metadata"]["ownerReferences"]);
  return set;
}

}  // namespace detail

}  // namespace kubexx::controller
