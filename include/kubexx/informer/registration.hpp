#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx::informer {

class ProcessorListener;

/// Of one handler: its name, its reminders, and what becomes of what waits for it.
struct HandlerOptions {
  /// How often this handler wants to be reminded of everything; absent: the informer's period, 0: never.
  std::optional<Duration> resync_period = {};
  /// Changes of one key that wait are merged into the latest: the backlog is bounded by keys, not by events.
  bool coalesce = false;
  /// An update that replaces an object by another of the same name (its uid differs) arrives as delete and add.
  bool split_replaced = false;
  std::string name = {};  ///< for metrics and the inspector; default "handler-N"
};

/// How a handler keeps up.
struct HandlerStatus {
  std::string name = {};
  std::size_t depth = 0;               ///< calls waiting
  Duration oldest = Duration::zero();  ///< how long the first of them has waited
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;               ///< calls that threw
  Duration last_call = Duration::zero();  ///< how long the last one took
  Duration slowest_call = Duration::zero();
  Duration busy = Duration::zero();  ///< all calls together
  bool running = false;
  bool synced = false;
};

/// A handler's place in an informer. Destroying it removes the handler, drops what waits for it, and waits for a call
/// that is running; inside that very call it only marks it removed, and so does the second of two handlers that remove
/// each other. Move-only; keep it last in your class.
///
/// Threads: the questions may be asked from several threads at once. Moving it, remove() and release() are its owner's,
/// as with a unique_ptr.
/// Stop: remove() and the destructor, as said above; release() leaves the end to the informer.
/// Errors: error() says why the handler was not taken. wait_until_synced() throws kubexx::Exception on a loop's thread
/// that cannot be driven.
/// Example:
///
///     auto pods = factory.core().v1().pods();
///     auto registration = pods.add_event_handler({.on_add = [](const Pod& pod) { greet(pod.name()); }});
///     if (registration.error()) complain(*registration.error());
///     if (registration.wait_until_synced(stop)) greet(registration.status().calls);
///     registration.remove();
class [[nodiscard]] KUBEXX_EXPORT Registration {
 public:
  Registration() = default;
  explicit Registration(std::shared_ptr<ProcessorListener> listener) : listener_(std::move(listener)) {}
  explicit Registration(Error error) : error_(std::move(error)) {}
  Registration(Registration&& other) noexcept
      : listener_(std::move(other.listener_)), error_(std::move(other.error_)) {}
  Registration& operator=(Registration&& other) noexcept {
    if (this != &other) {
      remove();
      listener_ = std::move(other.listener_);
      error_ = std::move(other.error_);
    }
    return *this;
  }
  ~Registration() { remove(); }

  void remove();   ///< what the destructor does; a second time does nothing
  void release();  ///< the handler stays for the informer's life
  explicit operator bool() const noexcept { return listener_ != nullptr; }
  /// Why the handler was not taken: the informer had stopped. Absent: it was.
  const std::optional<Error>& error() const noexcept { return error_; }

  /// The informer is synced and this handler's own initial adds have returned.
  bool has_synced() const;
  /// Waits for that; false: stopped or removed first.
  bool wait_until_synced(std::stop_token stop = {}) const;
  HandlerStatus status() const;

 private:
  friend class Syncable;
  std::shared_ptr<ProcessorListener> listener_;
  std::optional<Error> error_;
};

}  // namespace kubexx::informer
