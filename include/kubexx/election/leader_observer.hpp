#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/wait_options.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::election {

/// Who leads, as far as is known. Times are of this program's own clock: those of the holder do not count.
struct KUBEXX_EXPORT LeaderView {
  std::string holder = {};                              ///< empty: nobody, or nothing is known yet
  std::map<std::string, std::string> annotations = {};  ///< of the Lease; the holder's address may be there
  std::int64_t transitions = 0;                         ///< changes with every term
  std::string resource_version = {};                    ///< of the Lease; changes with every renewal
  Duration lease_duration = {};                         ///< what the holder promised; zero: nothing
  Duration unrenewed_for = {};                          ///< since the Lease was seen to change

  bool known = false;     ///< the server has said it, once at least: also that there is no Lease
  bool watching = false;  ///< the watch is open; otherwise this is the last that was known
  Duration age = {};      ///< since the server was last heard of: a change, a bookmark or a list

  /// The value of an annotation; empty when there is none, or no holder.
  std::string annotation(const std::string& key) const;
  /// Not renewed for longer than promised: the holder may be gone, or the server (see age).
  bool expired() const noexcept { return lease_duration > Duration::zero() && unrenewed_for > lease_duration; }
};

/// Which Lease.
struct KUBEXX_EXPORT LeaderObserverOptions {
  std::string namespace_ = "default";
  std::string name{};  ///< of the Lease
  /// When holder, annotations or the term are others than before, and first for the Lease that is there; not for
  /// renewals. On the client's executor for handlers, in order; may block.
  std::function<void(const LeaderView&)> on_change{};

  /// An Error for what cannot be.
  Result<void> validate() const;
};

/// Says who leads, by a watch of one Lease: without standing for election, and without asking again and again.
///
/// From the change to the callback it takes what an informer takes; it is one, of a single object. While the API server
/// is away it says what it knew last, and how old that is.
///
/// Threads: none of its own. Members are safe from any thread; conditions are asked on the client's executor.
/// Stop: the token given to start(), stop(), or the destructor, which waits until no callback runs (so not in one). It
/// does not begin again.
/// Errors: create() refuses options without names. What the server answers is logged, and tried again.
/// Example:
///
///     auto observer = election::LeaderObserver::create(
///         client, {.name = "shop", .on_change = [](const election::LeaderView& now) {
///           greet(now.holder, "serves at", now.annotation("shop.example/address"));
///         }});
///     if (!observer) complain(observer.error());
///     (*observer)->start(stop);
///     auto leader = (*observer)->wait_until([](const auto& now) { return !now.holder.empty(); }, {.timeout = 30s});
class KUBEXX_EXPORT LeaderObserver {
 public:
  /// An Error where the options cannot be.
  static Result<std::unique_ptr<LeaderObserver>> create(rest::Client client, LeaderObserverOptions options);
  ~LeaderObserver();

  void start(std::stop_token stop = {});  ///< once; returns at once
  /// Ends the watch and waits for it.
  void stop();

  /// Who leads, as far as is known.
  LeaderView view() const;
  /// Until the condition is true of view(), also from before the start. It is asked when the Lease was written and when
  /// it is first known whether there is one, not when time passes; it must not block. Canceled too after the stop.
  Async<Result<LeaderView>> until_async(std::function<bool(const LeaderView&)> condition,
                                        ElectionWaitOptions options = {}) const;
  Result<LeaderView> wait_until(std::function<bool(const LeaderView&)> condition,
                                ElectionWaitOptions options = {}) const;

 private:
  class Impl;
  explicit LeaderObserver(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::election
