#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kubexx/base/clock.hpp"

namespace kubexx::apiserver {

/// What goes wrong, and for whom. Empty strings match everything.
struct Fault {
  std::string verb{};                                               ///< "watch", "list", ...
  std::string resource{};                                           ///< plural
  std::string user_agent{};                                         ///< contained in the request's
  double share = 1;                                                 ///< of the requests that match, chosen at random
  std::uint64_t times = std::numeric_limits<std::uint64_t>::max();  ///< how often it strikes, then it is gone

  int status = 0;                    ///< answer this instead, with a Status of the matching reason
  std::optional<int> retry_after{};  ///< seconds, with `status`
  std::string message{};
  Duration delay{};                             ///< before anything happens
  std::optional<std::size_t> truncate_after{};  ///< cut the answer after this many bytes of its body
  std::optional<std::size_t> corrupt_at{};      ///< flip a byte of the body at this offset
  bool reset = false;                           ///< cut without an answer
  std::string subresource{};                    ///< "log", ...; matches as `verb` does
};

/// Which watches a fault concerns; empty members match everything.
struct WatchFilter {
  std::string resource{};  ///< plural
  std::string namespace_{};
  std::string user_agent{};  ///< contained in the request's
};

/// The end of a fault: leaving the scope heals it.
///
/// Threads: one owner's; the fault may end on any thread. Those of Core and Server may outlive them, that of a
/// testkit::FaultProxy must not.
/// Stop: end() or the destructor; a second time does nothing.
/// Errors: none.
/// Example:
///
///     {
///       const auto outage = core.add_fault({.verb = "list", .resource = "pods", .status = 503, .retry_after = 1});
///       work();
///     }  // lists are answered again
class [[nodiscard]] Outage {
 public:
  Outage() = default;
  explicit Outage(std::function<void()> heal) : heal_(std::move(heal)) {}
  Outage(Outage&& other) noexcept : heal_(std::exchange(other.heal_, nullptr)) {}
  Outage& operator=(Outage&& other) noexcept {
    if (this != &other) {
      end();
      heal_ = std::exchange(other.heal_, nullptr);
    }
    return *this;
  }
  ~Outage() { end(); }
  void end() {
    if (auto heal = std::exchange(heal_, nullptr)) heal();
  }
  void release() noexcept { heal_ = nullptr; }  ///< stays for the life of the server

 private:
  std::function<void()> heal_;
};

}  // namespace kubexx::apiserver
