#pragma once

#include <stop_token>
#include <string>

#include "kubexx/api/core/v1.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/controller/controller.hpp"

/// A program with a controller: every ConfigMap of the namespace "default" has a copy in "kube-public".
class Copier {
 public:
  using ConfigMap = kubexx::api::core::v1::ConfigMap;

  /// `forgetful`: it has a bug, for the simulation to find.
  Copier(const kubexx::rest::Client& client, bool forgetful);
  ~Copier();

 private:
  kubexx::Result<kubexx::controller::Action> reconcile(const kubexx::meta::ObjectKey& key);
  kubexx::Result<void> bring_in_line(const std::string& name);

  const bool forgetful_;
  const kubexx::client::Api<ConfigMap> copies_api_;
  kubexx::informer::SharedInformerFactory factory_;
  const kubexx::informer::Informer<ConfigMap> originals_;
  const kubexx::informer::Informer<ConfigMap> copies_;
  kubexx::controller::Controller<ConfigMap> controller_;
  std::stop_source stop_;
};
