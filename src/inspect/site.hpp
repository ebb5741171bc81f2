#pragma once

#include <functional>
#include <memory>
#include <string>

#include "inspect/access.hpp"
#include "inspect/catalog.hpp"
#include "inspect/event_stream.hpp"
#include "inspect/prober.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::inspect {

/// What a request is answered with.
struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  httpd::HeaderFields fields = {};  ///< beside those that every answer has
};

/// The page without its socket: which request gets which answer. Everything but `handle` runs on the executor.
class Site {
 public:
  struct Settings {
    std::string title;
    bool queues = true;
    bool controllers = true;
    bool open_metrics = false;
    std::size_t max_pages = 16;
    std::shared_ptr<HealthChecks> health = {};  // null: only those that every page has
    bool standby_is_ready = true;
    Duration health_patience = std::chrono::seconds(5);
  };
  Site(Settings settings, Access access, Executor& executor);

  Catalog& catalog() noexcept { return catalog_; }
  void set_metrics(std::shared_ptr<MetricsRegistry> metrics, bool only_if_none);
  /// Takes a request on an I/O thread, answers it later.
  void handle(httpd::Request request, const httpd::Responder& responder);
  /// Begins to keep the open pages up to date.
  void start() { tick(0); }

  /// Of everything but the stream of events; `done` is called at once, and later for a probe of the program's health.
  void answer(const httpd::Request& request, std::function<void(Answer answer)> done);
  std::size_t pages() { return events_.size(); }

 private:
  Answer respond(const httpd::Request& request, const Target& target);
  Answer api(const Target& target);
  Answer rows(const Target& target);
  Answer object(const Target& target);
  std::vector<std::shared_ptr<const HealthChecks>> make_checks();
  Answer metrics();
  void stream(const httpd::Responder& responder);
  void tick(unsigned number);
  std::string status_text(const std::vector<std::shared_ptr<Entry>>& entries);

  const Settings settings_;
  const Access access_;
  Executor& executor_;
  Catalog catalog_;
  EventStream events_;
  const std::string instance_;  // another one after a restart
  std::string versions_;        // used by tick alone: what the pages know
  std::mutex metrics_mutex_;
  std::shared_ptr<MetricsRegistry> metrics_;  // guarded by metrics_mutex_
  Prober prober_;
};

/// The fields of every answer: nothing may be kept, guessed, framed, or loaded from elsewhere.
httpd::HeaderFields security_fields(std::string_view content_type);

}  // namespace kubexx::inspect
