#pragma once

#include <memory>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::testkit {

/// Carries requests to an apiserver::Core in the same process, without sockets. With a ManualExecutor everything
/// between client and server runs on the caller's thread, in an order that a seed decides.
///
/// Threads: safe from any thread; sinks are called on the executor. The core must outlive the transport and what was
/// sent through it.
/// Example: `ClientOptions options; options.transport = std::make_shared<InProcessTransport>(core, executor);`
class InProcessTransport final : public transport::Transport {
 public:
  InProcessTransport(apiserver::Core& core, std::shared_ptr<Executor> executor);
  ~InProcessTransport() override;

  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override;

  /// Cuts what is open and refuses new connections until the Outage ends, as a server that restarts does.
  apiserver::Outage refuse_connections();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::testkit
