#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/apiserver/containers.hpp"
#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/apiserver/faults.hpp"
#include "kubexx/apiserver/options.hpp"
#include "kubexx/apiserver/request_log.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::apiserver {

/// An API server without sockets: storage, watches and request handling, in memory.
///
/// One counter numbers all writes; a watch gets every event of its resource after its version in the order of that
/// counter, none twice; a list is one version of the whole resource. What it does not implement it refuses as a real
/// server does. The namespaces default, kube-system, kube-public and kube-node-lease exist from the start.
///
/// Threads: everything may be called from any thread and runs on the caller's; timers run on the given executor. With a
/// ManualExecutor and a seed in the options nothing depends on threads or the system's randomness.
/// Stop: the destructor aborts the open watches.
/// Errors: requests are answered as a server answers them, with a Status; the functions for tests return the same as an
/// Error. No executor throws std::logic_error.
/// Example:
///
///     auto executor = std::make_shared<ManualExecutor>();
///     apiserver::Core core({.seed = 42, .executor = executor});
///     if (auto seeded = core.seed(testkit::make_pod("default/web")); !seeded) complain(seeded.error());
///     auto outage = core.interrupt_watches({.resource = "pods"});
class KUBEXX_EXPORT Core {
 public:
  class Impl;
  /// Throws std::logic_error when the options name no executor.
  explicit Core(Options options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Answers through the writer, now or later (a watch lives as long as the writer, its timeout or a fault allows).
  void handle(Request request, std::shared_ptr<ResponseWriter> writer);
  const std::string& admin_token() const noexcept;

  std::uint64_t version() const;  ///< of the last write
  /// How many watches there are.
  std::size_t watchers() const;
  /// What was asked for so far.
  RequestLog& requests() noexcept;

  /// Puts an object in past validation and admission, replacing one of its name. Its apiVersion and kind must be
  /// served; uid and creationTimestamp are made when missing, resourceVersion is the next version. Namespaces need not
  /// exist.
  Result<meta::Object> seed(const meta::Object& object);
  /// The same for an object that is there; 404 when it is not.
  Result<meta::Object> update(const meta::Object& object);
  /// The same for text: "{...}", "[...]" of objects or a List.
  Result<void> seed_json(std::string_view json);
  Result<meta::Object> get(const meta::GroupVersionResource& resource, const meta::ObjectKey& key) const;
  std::vector<meta::Object> list(const meta::GroupVersionResource& resource, std::string_view namespace_ = {}) const;
  /// Removes past finalizers and grace; watchers see the deletion.
  Result<meta::Object> remove(const meta::GroupVersionResource& resource, const meta::ObjectKey& key);
  template <class T>
  Result<meta::Object> remove(const Result<meta::ObjectKey>& key) {
    if (!key) return key.error();
    return remove(T::kResource.gvr(), *key);
  }
  template <class T>
  Result<meta::Object> get(const Result<meta::ObjectKey>& key) const {
    if (!key) return key.error();
    return get(T::kResource.gvr(), *key);
  }

  /// Strikes requests that match until the Outage ends (or `times` is used up).
  Outage add_fault(Fault fault);
  /// Ends matching watches: cleanly, or cut in the middle of the connection. How many there were.
  std::size_t end_watches(const WatchFilter& filter = {});
  std::size_t cut_watches(const WatchFilter& filter = {});
  /// Ends the matching watches and answers 429 to new ones.
  Outage interrupt_watches(const WatchFilter& filter = {});
  /// Matching watches stay open and receive nothing until the Outage ends; then what they missed.
  Outage stall_watches(const WatchFilter& filter = {});
  /// Events reach matching watches this much later, still in order.
  Outage delay_watches(Duration by, const WatchFilter& filter = {});
  Outage drop_bookmarks(const WatchFilter& filter = {});
  /// Writes bytes into matching watch streams as they are, or cuts the next frame in the middle and aborts.
  std::size_t inject(std::string_view bytes, const WatchFilter& filter = {});
  std::size_t truncate_watches(const WatchFilter& filter = {});
  /// Plays the node of a container, for tests of logs. It starts, or starts again: the pod's status has it with the
  /// next restart count, what it wrote until now is its previous log, and who follows that gets the rest and the end.
  Result<void> start_container(const ContainerKey& container);
  /// Writes a line, several where the text has newlines; one that was never started starts. `time`: absent, now.
  Result<void> append_log(const ContainerKey& container, std::string_view text, std::optional<WallTime> time = {});
  Result<void> end_container(const ContainerKey& container, int exit_code = 0);
  /// Ends all logs that are followed: cleanly, or cut in the middle of the connection. How many there were. What cuts
  /// in the middle of a line, or refuses, is a Fault of the subresource "log".
  std::size_t end_logs();
  std::size_t cut_logs();
  std::size_t log_followers() const;
  void send_bookmarks();  ///< now, to every watch that asked for them
  /// Forgets all events: a watch or continue token from an older version answers 410.
  void compact_history();
  /// A state to go back to.
  struct Checkpoint;
  std::shared_ptr<const Checkpoint> checkpoint() const;
  /// The whole state and its version as they were, as a restored etcd has them; watches are cut, history is empty.
  void restore(const std::shared_ptr<const Checkpoint>& checkpoint);

  /// What the control path does to connections, which Core knows nothing about: the actions dropConnections,
  /// refuseConnections and restart, the latter two for a while. Called when the answer is sent, on the executor.
  using ConnectionControl = std::function<void(std::string_view action, Duration down)>;
  void set_connection_control(ConnectionControl control);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::apiserver
