#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kubexx/base/export.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::controller {

/// Whether the object has this finalizer.
KUBEXX_EXPORT bool has_finalizer(const meta::Object& object, std::string_view finalizer) noexcept;
/// False when there was nothing to do.
KUBEXX_EXPORT bool add_finalizer(meta::Draft& draft, std::string_view finalizer);
KUBEXX_EXPORT bool remove_finalizer(meta::Draft& draft, std::string_view finalizer);

/// On the server: the object has the finalizer, or has it no more. No request when it is so already. Another one who
/// changed the object meanwhile makes it a conflict, never a lost finalizer. Returns the object as it is now.
KUBEXX_EXPORT Result<meta::Object> ensure_finalizer(const client::ResourceApi& api, const meta::Object& object,
                                                    std::string_view finalizer,
                                                    const client::CallOptions& options = {});
/// An object that is gone has no finalizer: success.
KUBEXX_EXPORT Result<meta::Object> drop_finalizer(const client::ResourceApi& api, const meta::Object& object,
                                                  std::string_view finalizer, const client::CallOptions& options = {});

/// What finalize() did, and the object as it is then.
struct Finalized {
  meta::Object object = {};
  bool deleted = false;  ///< being deleted, and nothing of ours is left to do: the reconcile ends here
};

/// The whole life with a finalizer, at the begin of a reconcile: an object that lives gets the finalizer; one that is
/// being deleted and has it is cleaned up, and loses it when `cleanup` succeeded. `cleanup` may be called again.
///
/// Threads: blocks while the server is asked: for a reconcile, not for a task of the client's executor.
/// Stop: by the options; a stopped request is Canceled.
/// Errors: those of the requests, is_conflict() among them, and what `cleanup` returns. A reconcile returns them and is
/// called again.
/// Example:
///
///     const auto cleanup = [](const Pod& dying) -> Result<void> {
///       forget(dying.key());
///       return {};
///     };
///     auto finalized = controller::finalize(pods, pod, "example.com/cleanup", cleanup, {.stop = stop});
///     if (!finalized) complain(finalized.error());
KUBEXX_EXPORT Result<Finalized> finalize(const client::ResourceApi& api, const meta::Object& object,
                                         std::string_view finalizer,
                                         const std::function<Result<void>(const meta::Object&)>& cleanup,
                                         const client::CallOptions& options = {});
/// `cleanup(const T&)` returns Result<void>.
template <class T>
Result<Finalized> finalize(const client::Api<T>& api, const std::type_identity_t<T>& object, std::string_view finalizer,
                           const std::function<Result<void>(const std::type_identity_t<T>&)>& cleanup,
                           const client::CallOptions& options = {}) {
  return finalize(
      api.untyped(), object, finalizer, [&](const meta::Object& untyped) { return cleanup(T::unchecked(untyped)); },
      options);
}

}  // namespace kubexx::controller
