#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "transport/endpoint.hpp"
#include "transport/event_loop.hpp"

namespace kubexx::transport {

class Http1Transfer;
class Http1Probe;

/// Finds stopped servers behind HTTP/1.1 connections, where nothing can be asked while an answer is under way.
///
/// When an answer has been silent for read_idle, `OPTIONS *` goes to its origin on a connection of its own. Whatever
/// comes back within ping_timeout, a refusal included, shows that the server is not stopped; so does any byte on any
/// other answer. If nothing comes, the answers that have been silent since before end as Dead. Only servers that have
/// answered on one connection while an answer on another was open are held to that: a server that serves one
/// connection at a time is silent, not stopped.
///
/// I/O thread only.
class Http1Watchdog {
 public:
  using MakeEndpoint = std::function<Endpoint(const Target&)>;
  Http1Watchdog(CurlMulti& multi, const TransportOptions& options, MakeEndpoint endpoint);
  ~Http1Watchdog();

  void add(Http1Transfer& transfer);
  void remove(Http1Transfer& transfer);
  void answered(const Http1Transfer& transfer);  ///< its header came

 private:
  struct Origin {
    std::unordered_set<Http1Transfer*> transfers;
    bool answers_beside = false;
    TimePoint alive{};  ///< when a probe was answered last
    std::unique_ptr<Http1Probe> probe;
    TimePoint probed{};
    std::optional<EventLoop::TimerId> timer;
  };

  void arm(Origin& origin, TimePoint when, void (Http1Watchdog::*then)(Origin&));
  void check(Origin& origin);
  void probe_answered(Origin& origin, bool by_the_server);
  void probe_overdue(Origin& origin);
  void give_up(Origin& origin);
  std::optional<TimePoint> oldest_silence(const Origin& origin) const;

  CurlMulti* multi_;
  const TransportOptions* options_;
  const MakeEndpoint endpoint_;
  std::map<std::string, Origin> origins_;
  std::shared_ptr<bool> existing_ = std::make_shared<bool>(true);
};

}  // namespace kubexx::transport
