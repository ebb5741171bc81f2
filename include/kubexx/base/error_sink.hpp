#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx {

/// Errors that have no caller to return to: a handler that threw, a background step that failed. One sink a process;
/// the default writes a log line at level Error. `where` names the place ("handler pods", "executor").
///
/// Threads: everything is safe from any thread. The sink is called on the thread where it happened, by several at once,
/// without a lock of ours.
/// Errors: what the sink throws is lost. An empty function is the default again.
/// Example:
///
///     set_error_sink([](const Error& error, std::string_view where) { complain(where, error.message()); });
///     set_crash_policy(CrashPolicy::Terminate);  // for programs that want to end where user code throws
using ErrorSink = std::function<void(const Error& error, std::string_view where)>;
KUBEXX_EXPORT void set_error_sink(ErrorSink sink);
KUBEXX_EXPORT void report_error(const Error& error, std::string_view where) noexcept;

/// What happens when user code that the library calls throws.
enum class CrashPolicy { Report, Terminate };
KUBEXX_EXPORT void set_crash_policy(CrashPolicy policy) noexcept;

/// The exception being handled, as an Error. To be called in a catch block.
KUBEXX_EXPORT Error current_exception_as_error() noexcept;

namespace detail {
KUBEXX_EXPORT_INTERNAL void callback_threw(std::string_view where) noexcept;  // reports or terminates, by policy
}

/// The one boundary around user code: false if it threw (and was reported).
template <class F>
bool call_isolated(std::string_view where, F&& function) {
  try {
    std::forward<F>(function)();
    return true;
  } catch (...) {
    detail::callback_threw(where);
    return false;
  }
}

}  // namespace kubexx
