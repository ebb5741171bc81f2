#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/informer/event_handler.hpp"

namespace kubexx::testkit {

/// Writes down every call as a line: "add ns/name", "update ns/name", "delete ns/name",
/// "delete ns/name (final state unknown)". Waiting is on the condition, with a ceiling.
///
/// Threads: safe from any thread; await() blocks. Handlers that it gave may outlive it.
/// Errors: none; what did not come in time is false.
/// Example:
///
///     testkit::RecordingHandler<Pod> seen;
///     auto registration = factory.core().v1().pods().add_event_handler(seen.handler());
///     factory.start();
///     if (!seen.await({"add default/web"})) complain(seen.lines());
class KUBEXX_EXPORT Recording {
 public:
  Recording();
  /// What an informer takes.
  std::shared_ptr<informer::ResourceEventHandler> handler() const;
  /// Until every one of these lines was written, in any order; lines given twice must have come twice.
  bool await(const std::vector<std::string>& lines, Duration ceiling = std::chrono::seconds(10)) const;
  bool await_count(std::size_t count, Duration ceiling = std::chrono::seconds(10)) const;
  std::vector<std::string> lines() const;
  void clear();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// The same under the name that speaks of the type.
template <class T = meta::Object>
class RecordingHandler : public Recording {};

}  // namespace kubexx::testkit
