#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "kubexx/base/backoff.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::controller {

/// What had to be done.
enum class Operation : std::uint8_t { None, Created, Updated };

/// What was done, and the object as the server has it now.
template <class T>
struct Written {
  T object = {};
  Operation operation = Operation::None;
};

/// Reads the object from the server, lets `mutate` bring it to what it should be, and writes what changed: a create
/// when it was not there, a patch when something differs, nothing otherwise. The patch holds only if the object did not
/// change meanwhile; otherwise the Error is_conflict().
///
/// Threads: blocks while the server is asked: for a reconcile, not for a task of the client's executor. `mutate` runs
/// on the calling thread.
/// Stop: by the options; a stopped request is Canceled.
/// Errors: those of the requests. An Error of `mutate`, or a changed name or namespace, ends it before anything is
/// written.
/// Example:
///
///     const auto grow = [](corev1::Pod::Draft& wanted) -> Result<void> {
///       wanted.metadata().labels().set("size", "large");
///       return {};
///     };
///     auto written = controller::create_or_update(pods, {"default", "web"}, grow, {.stop = stop});
///     if (written && written->operation == controller::Operation::Created) greet(written->object.name());
KUBEXX_EXPORT Result<Written<meta::Object>> create_or_update(const client::ResourceApi& api,
                                                             const meta::GroupVersionKind& kind,
                                                             const meta::ObjectKey& key,
                                                             const std::function<Result<void>(meta::Draft&)>& mutate,
                                                             const client::WriteOptions& options = {});

/// The same for a generated type: `mutate(typename T::Draft&)` returns Result<void>.
template <class T, class F>
Result<Written<T>> create_or_update(const client::Api<T>& api, const meta::ObjectKey& key, F mutate,
                                    const client::WriteOptions& options = {}) {
  auto written = create_or_update(
      api.untyped(), T::kResource.gvk(), key,
      [&](meta::Draft& draft) -> Result<void> {
        typename T::Draft typed(draft.clone());
        Result<void> result = mutate(typed);
        draft = typed.draft().clone();
        return result;
      },
      options);
  if (!written) return written.error();
  return Written<T>{T::unchecked(std::move(written->object)), written->operation};
}

/// Server-side apply by a controller, which owns the fields it names: it takes them over from other managers. The
/// draft or object holds those fields only. A resourceVersion in it is left out, so that it does not become a
/// condition.
KUBEXX_EXPORT Result<meta::Object> apply(const client::ResourceApi& api, const meta::Object& desired,
                                         std::string_view field_manager, const client::CallOptions& options = {},
                                         std::string_view subresource = {});
template <class T>
Result<T> apply(const client::Api<T>& api, const meta::Object& desired, std::string_view field_manager,
                const client::CallOptions& options = {}, std::string_view subresource = {}) {
  auto applied = apply(api.untyped(), desired, field_manager, options, subresource);
  if (!applied) return applied.error();
  return T::unchecked(std::move(*applied));
}

/// How often a conflict is tried again, and with which pauses.
struct ConflictRetry {
  Backoff backoff{std::chrono::milliseconds(10), 1.0, std::chrono::seconds(1), 0.1};
  int tries = 5;
  std::stop_token stop = {};
};

namespace detail {
/// Waits before try number `done` + 1; false: there is none, or stop.
KUBEXX_EXPORT_INTERNAL bool wait_for_next_try(const ConflictRetry& options, BackoffTimer& timer, int done);
}  // namespace detail

/// Calls again while the Error is_conflict(). The function reads the object anew each time, changes it and writes it.
template <class F>
std::invoke_result_t<F&> retry_on_conflict(F function, const ConflictRetry& options = {}) {
  BackoffTimer timer(options.backoff, Clock::system());
  for (int done = 1;; ++done) {
    auto result = function();
    if (result || !result.error().is_conflict() || !detail::wait_for_next_try(options, timer, done)) return result;
  }
}

}  // namespace kubexx::controller
