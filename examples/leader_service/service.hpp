#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexx/client/api.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/httpd/server.hpp"

namespace leader_service {

inline constexpr const char* kName = "leader-service";  // of the Lease and the ConfigMap
inline constexpr const char* kAddress = "leader-service.example/address";

struct Options {
  std::string name = {};
  std::string listen = "127.0.0.1";
  kubexx::Duration lease = std::chrono::seconds(15);
};

/// One replica. GET /next counts, if this one leads.
class Service {
 public:
  Service(kubexx::rest::Client client, Options options);
  kubexx::Result<void> run(std::stop_token stop);  ///< until the token fires

 private:
  using ConfigMap = kubexx::api::core::v1::ConfigMap;
  /// What a request under way holds: the lease is given back when all are answered.
  struct Term {
    kubexx::election::LeaderGuard guard;
    std::shared_ptr<void> work;
    kubexx::client::Api<ConfigMap> maps;  // its writes end with the term
    std::optional<ConfigMap> last;        // what this term wrote, until the cache has it
  };

  void answer(const kubexx::httpd::Request& request, const kubexx::httpd::Responder& to);
  void count(const std::shared_ptr<Term>& term, const kubexx::httpd::Responder& to);
  void lead(const kubexx::election::LeaderGuard& guard);
  std::optional<ConfigMap> newest(const Term& term) const;

  const kubexx::rest::Client client_;
  const Options options_;
  kubexx::informer::SharedInformerFactory factory_;
  const kubexx::informer::Informer<ConfigMap> maps_;
  std::mutex mutex_;
  std::shared_ptr<Term> term_;  // guarded by mutex_, and so is what is in it; null: not leading
};

}  // namespace leader_service
