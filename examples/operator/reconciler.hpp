// Shows every Greeting as a ConfigMap in one namespace, and says in its status what is shown.
#pragma once

#include <stop_token>
#include <string>

#include "hello/v1.hpp"
#include "kubexx/api/core/v1.hpp"
#include "kubexx/controller/action.hpp"
#include "kubexx/controller/cached_client.hpp"
#include "kubexx/events/event_recorder.hpp"

namespace greeting_operator {

using hello::v1::Greeting;
using kubexx::api::core::v1::ConfigMap;

inline constexpr const char* kFinalizer = "hello.example.com/hide";

class Reconciler {
 public:
  /// The client's writes should be those of the leader alone.
  Reconciler(const kubexx::controller::CachedClient& cached, std::string show_in,
             kubexx::events::EventRecorder recorder);
  kubexx::Result<kubexx::controller::Action> operator()(const kubexx::meta::ObjectKey& key, std::stop_token stop) const;

 private:
  /// Owner references do not cross namespaces: this is why there is a finalizer.
  kubexx::Result<void> hide(const Greeting& wanted, const std::stop_token& stop) const;
  /// True: the ConfigMap was not what it should be.
  kubexx::Result<bool> show(const Greeting& wanted, const std::stop_token& stop) const;
  kubexx::Result<void> save_status(const Greeting& wanted, const std::stop_token& stop) const;
  kubexx::meta::ObjectKey place_of(const Greeting& wanted) const;

  kubexx::controller::CachedApi<Greeting> objects_;
  kubexx::controller::CachedApi<ConfigMap> maps_;
  std::string show_in_;
  kubexx::events::EventRecorder recorder_;
};

}  // namespace greeting_operator
