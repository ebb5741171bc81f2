// The sample controller: a Foo asks for a Deployment with so many replicas, and its status says how many are available.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "kubexx/clientset/apps/v1/informers.hpp"
#include "kubexx/clientset/clientset.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/rest/client.hpp"
#include "samplecontroller/clientset.hpp"
#include "samplecontroller/informers.hpp"

namespace sample {

using kubexx::api::apps::v1::Deployment;
using samplecontroller::v1alpha1::Foo;

struct Options {
  std::size_t workers = 2;
  std::string namespace_ = {};  ///< empty: all
  kubexx::Duration resync = std::chrono::seconds(30);
  kubexx::Backoff backoff = {};                                 ///< of the informers
  kubexx::Duration longest_retry = std::chrono::seconds(1000);  ///< how long a Foo that fails is put off at most
  kubexx::events::EventBroadcasterOptions events = {};
};

/// Makes the definition of Foo known to the server, unless it is, and waits until Foos are served.
kubexx::Result<void> install_crd(const kubexx::rest::Client& client, std::stop_token stop = {});

/// What an informer's options are by these.
kubexx::informer::FactoryOptions factory_options(const Options& options);

/// The controller with its parts visible: handlers that enqueue, a queue, workers. main() makes what it is given.
class Controller {
 public:
  Controller(const kubexx::clientset::Clientset& kube, const samplecontroller::Clientset& samples,
             kubexx::informer::Informer<Deployment> deployments, kubexx::informer::Informer<Foo> foos,
             Options options = {});
  ~Controller();

  /// Blocks until the token fires and the workers have ended; the informers are started by their factories. An Error:
  /// the caches did not sync before that.
  kubexx::Result<void> run(std::stop_token stop);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same controller written on controller::Controller<Foo>. Blocks as Controller::run() does.
kubexx::Result<void> run_short(const kubexx::rest::Client& client, std::stop_token stop, const Options& options = {});

}  // namespace sample
