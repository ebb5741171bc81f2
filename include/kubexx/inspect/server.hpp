#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/health.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace kubexx::inspect {

/// Where it listens, who may read it, and what it shows.
struct Options {
  std::string listen = "127.0.0.1:0";  ///< address and port; port 0: the kernel picks one
  bool allow_remote = false;           ///< `listen` may be an address that other machines reach
  /// Names, without port, under which the page may be asked for beside IP addresses and localhost.
  std::vector<std::string> allowed_hosts = {};
  std::string token = {};      ///< what opens the page, at least 16 characters; empty: a random one
  bool open_metrics = false;   ///< /metrics without the token
  std::string title = {};      ///< on the page; empty: the name of the program
  bool queues = true;          ///< show the work queues of the process
  bool controllers = true;     ///< and its controllers
  std::size_t max_pages = 16;  ///< pages that are kept up to date at once; a further one is told to wait
  /// What /metrics shows; null: the registry of the first factory's client, without one MetricsRegistry::process().
  std::shared_ptr<MetricsRegistry> metrics = {};
  std::shared_ptr<HealthChecks> health = {};  ///< the program's own checks; null: none until health().add()
  bool standby_is_ready = true;  ///< /readyz of a standby answers 200, else 503; its body says that it is one
  Duration health_patience = std::chrono::seconds(5);  ///< checks that take longer in all have failed
};

/// A page that shows the informers, queues and caches of this program, with /metrics, /healthz and /readyz beside it.
///
/// Nobody else reads it: it listens on loopback unless told otherwise, and data is only given to who has the token, as
/// `Authorization: Bearer` or as ?token=; url() has it, and the page takes it from there. Requests under a foreign host
/// name or from a foreign page are refused. /healthz and /readyz answer anybody, with reasons only to who has the
/// token; docs/health.md says what they check. Nothing can be changed through it. The values of Secrets are masked
/// until asked for one by one.
///
/// While nobody looks it reads a few counters a second. From the first time that a resource is looked at, its last
/// updates are kept (at most 1000, or 8 MB) to show what they changed.
///
/// Threads: safe from any thread. It has one I/O thread and two for its work, kxx-inspect; health checks run on one of
/// the two, and probes that come while they run share what they find.
/// Stop: the destructor, or stop(), closes every connection and joins, a running health check included. The factories
/// must outlive it.
/// Errors: an address that cannot or must not be listened on, or a short token, is an Error of start().
/// Example:
///
///     auto page = inspect::Server::start(factory, {.listen = "127.0.0.1:0"});
///     if (page) show_the_user((*page)->url());
class KUBEXX_EXPORT Server {
 public:
  /// Listens; an Error where it cannot.
  static Result<std::unique_ptr<Server>> start(Options options = {});
  static Result<std::unique_ptr<Server>> start(const informer::SharedInformerFactory& factory, Options options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Shows the informers that the factory has, and those it will have.
  void add(const informer::SharedInformerFactory& factory);
  void add(std::shared_ptr<informer::SharedIndexInformer> informer);
  HealthChecks& health() noexcept;  ///< where the program adds its own checks; those of the options, if there are some

  /// Where it listens.
  std::uint16_t port() const noexcept;
  /// What a request must have.
  const std::string& token() const noexcept;
  std::string address() const;  ///< "http://127.0.0.1:40000"
  std::string url() const;      ///< the same with the token: whoever has it may look
  /// Ends all answers and waits for that.
  void stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::inspect
