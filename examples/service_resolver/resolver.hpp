// The endpoints of one Service, kept as the cluster has them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "endpoints.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace service_resolver {

/// Follows the Service and its EndpointSlices from start() on. endpoints() is for the way of every request: it never
/// waits. The listener is for who keeps connections: it is called with each change, one call after the other, on a
/// thread of the library, the first time with what was there at the start. It must not destroy the resolver.
class Resolver {
 public:
  using Listener = std::function<void(const Difference& difference, const Endpoints& now)>;
  Resolver(kubexx::rest::Client client, Question question, Listener listener = {});
  ~Resolver();

  /// Returns when the first list is there; an Error: stopped before that, or the server refuses.
  kubexx::Result<void> start(std::stop_token stop = {});
  /// Never null; a list is not changed once it is out.
  std::shared_ptr<const Endpoints> endpoints() const { return now_.load(); }

 private:
  void refresh();

  const Question question_;
  const Listener listener_;
  kubexx::informer::SharedInformerFactory factory_;
  kubexx::informer::Informer<kubexx::api::core::v1::Service> services_;
  kubexx::informer::Informer<kubexx::api::discovery::v1::EndpointSlice> slices_;
  std::mutex refreshing_;  // orders lists and calls of the listener
  bool told_ = false;      // guarded by refreshing_
  std::atomic<std::shared_ptr<const Endpoints>> now_{std::make_shared<const Endpoints>()};
  std::vector<kubexx::informer::Registration> registrations_;  // last: they end before what their handlers use
};

}  // namespace service_resolver
