#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "kubexx/base/error.hpp"

namespace kubexx {

/// Errors that have no caller to return to: a handler that threw, a background step that failed. One sink a process;
/// the default writes a log line at level Error. `where` names the place ("handler pods", "executor").
using ErrorSink = std::function<void(const Error& error, std::string_view where)>;
void set_error_sink(ErrorSink sink);
void report_error(const Error& error, std::string_view where) noexcept;

/// What happens when user code that the library calls throws.
enum class CrashPolicy { Report, Terminate };
void set_crash_policy(CrashPolicy policy) noexcept;

/// The exception being handled, as an Error. To be called in a catch block.
Error current_exception_as_error() noexcept;

namespace detail {
void callback_threw(std::string_view where) noexcept;  // reports or terminates, by policy
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
