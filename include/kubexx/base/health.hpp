#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx {

/// How something is.
enum class HealthState : std::uint8_t {
  Ok,
  Standby,  ///< well, and waiting for its turn: another replica does the work
  Failed,
};
KUBEXX_EXPORT std::string_view to_string(HealthState state) noexcept;  ///< "ok", "standby", "failed"

/// What a check found. A check may return a Result<void> or an Error as well.
class KUBEXX_EXPORT Health {
 public:
  Health() = default;  ///< all is well
  Health(const Result<void>& result);
  Health(const Error& error);
  /// Well, and waiting for its turn: a replica that does not lead.
  static Health standby(std::string reason);

  /// How it is.
  HealthState state() const noexcept { return state_; }
  const std::string& reason() const noexcept { return reason_; }  ///< empty when all is well

 private:
  HealthState state_ = HealthState::Ok;
  std::string reason_;
};

/// Called from any thread; must not block: it looks at what is known, it does not go and ask.
using HealthCheck = std::function<Health()>;

/// What a check is for. Liveness: when it fails the process should be restarted. Readiness: it should get no work.
enum class HealthProbe : std::uint8_t { Liveness = 1, Readiness = 2, Both = 3 };

/// What one check said, and how long it took.
struct HealthResult {
  std::string name = {};
  HealthState state = HealthState::Ok;
  std::string reason = {};
  Duration duration = Duration::zero();
};

/// A check's stay among the checks. Its end takes the check out and waits for a call that is running, unless it ends
/// inside that call.
class [[nodiscard]] KUBEXX_EXPORT HealthRegistration {
 public:
  HealthRegistration() = default;
  HealthRegistration(HealthRegistration&&) noexcept = default;
  HealthRegistration& operator=(HealthRegistration&& other) noexcept;
  ~HealthRegistration();
  void remove() noexcept;   ///< now
  void release() noexcept;  ///< the check stays as long as the checks do

 private:
  friend class HealthChecks;
  struct Entry;
  std::shared_ptr<Entry> entry_;
};

/// Checks with names, a program's own, for /healthz and /readyz of the inspector or for a page of its own.
///
/// Threads: everything is safe from any thread; checks run on the thread that asks, without a lock of ours.
/// Stop: a check ends with its HealthRegistration, which waits for a call of it that runs.
/// Errors: a check that throws has failed with what it threw. A name that is empty, has other characters than letters,
/// digits, '-', '_' and '.', or is there already throws std::logic_error.
/// Example:
///
///     auto checks = std::make_shared<HealthChecks>();
///     auto registration = checks->add("disk", HealthProbe::Readiness, []() -> Health {
///       return free_bytes() > 0 ? Health() : Error::config("the disk is full");
///     });
///     auto page = inspect::Server::start(factory, {.health = checks});
class KUBEXX_EXPORT HealthChecks {
 public:
  explicit HealthChecks(const Clock& clock = Clock::system());
  ~HealthChecks();
  HealthChecks(const HealthChecks&) = delete;
  HealthChecks& operator=(const HealthChecks&) = delete;

  /// Adds a check to those that a probe asks, until the registration goes. It is called from whatever thread asks.
  HealthRegistration add(std::string name, HealthProbe probe, HealthCheck check);
  /// The checks of a probe in the order they were added; with `wanted` those whose names it takes.
  std::vector<HealthResult> run(HealthProbe probe, const std::function<bool(std::string_view)>& wanted = {}) const;
  std::size_t size() const;

 private:
  friend class HealthRegistration;
  struct Impl;
  const std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx
