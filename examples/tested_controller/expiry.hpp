// Removes ConfigMaps when their time is over.
#pragma once

#include <stop_token>

#include "kubexx/api/core/v1.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/controller/action.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/workqueue/rate_limiter.hpp"

namespace tested_controller {

/// Seconds from an object's creation to its end.
inline constexpr const char* kTtl = "example.com/ttl";

struct Options {
  const kubexx::Clock* clock = &kubexx::Clock::system();
  kubexx::workqueue::RateLimiter rate_limiter = kubexx::workqueue::RateLimiter::default_controller();
};

class Expiry {
 public:
  /// `maps` is of the factory of whoever runs it, which starts it.
  Expiry(const kubexx::rest::Client& client, kubexx::informer::Informer<kubexx::api::core::v1::ConfigMap> maps,
         const kubexx::Clock& clock = kubexx::Clock::system());
  kubexx::Result<kubexx::controller::Action> reconcile(const kubexx::meta::ObjectKey& key, std::stop_token stop) const;

 private:
  kubexx::rest::Client client_;
  kubexx::informer::Informer<kubexx::api::core::v1::ConfigMap> maps_;
  const kubexx::Clock* clock_;
};

/// The controller, with informers of its own. Blocks until the token fires.
kubexx::Result<void> run(const kubexx::rest::Client& client, std::stop_token stop, const Options& options = {},
                         const kubexx::informer::FactoryOptions& informers = {});

}  // namespace tested_controller
