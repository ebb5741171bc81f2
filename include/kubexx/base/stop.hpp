#pragma once

#include <initializer_list>
#include <memory>
#include <stop_token>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx {

/// A token that fires on SIGINT, SIGTERM and, unless the program has a handler for it, SIGHUP. The first call installs
/// the handlers; a second signal ends the process at once with 128 + the signal's number. Within half a second it is
/// the same wish and ends nothing: `timeout` and process groups send a signal twice.
///
/// A handler that the program installed before is still called, on the first signal; a signal it ignored stays ignored.
/// A handler installed later replaces ours, and the token no longer fires for that signal.
///
/// Threads: from any thread. Callbacks on the token run on a thread of the library.
/// Stop: that thread and the handlers end with the program; the handlers of before are put back then.
/// Errors: throws std::system_error when the system has no descriptor or thread for it.
/// Example:
///
///     const std::stop_token stop = stop_on_signals();
///     factory.start(stop);
///     wait_for_stop(stop);
KUBEXX_EXPORT std::stop_token stop_on_signals();

/// The signal that fired the token; 0: none did.
KUBEXX_EXPORT int stop_signal() noexcept;

/// Blocks until the token fires; for ever if it has no source. It knows no loop: LoopExecutor::run_until drives one.
KUBEXX_EXPORT void wait_for_stop(const std::stop_token& stop);

/// Blocks until the token fires or the time is over; true if it fired.
KUBEXX_EXPORT bool wait_for_stop(const std::stop_token& stop, Duration timeout);

/// Fires when any of the given tokens fires, or when asked.
class KUBEXX_EXPORT LinkedStop {
 public:
  LinkedStop(std::initializer_list<std::stop_token> tokens);
  ~LinkedStop();
  /// Fires when one of the linked tokens does, or at request_stop().
  std::stop_token token() const;
  void request_stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx
