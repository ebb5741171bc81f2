#pragma once

#include <memory>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::testkit {

/// Carries requests to an apiserver::Core in the same process, without sockets. With a ManualExecutor everything
/// between client and server runs on the caller's thread, in an order that a seed decides.
///
/// Threads: safe from any thread; sinks are called on the executor. The core must outlive the transport and what was
/// sent through it.
/// Stop: a request ends with its Exchange; the destructor ends none.
/// Errors: while connections are refused a request ends with an Error that is_connection_refused().
/// Example:
///
///     auto executor = std::make_shared<ManualExecutor>(7);
///     auto transport = std::make_shared<testkit::InProcessTransport>(core, executor);
///     auto client = rest::Client::create({.host = "http://in.process"},
///                                        {.transport = transport, .executor = executor, .handlers = executor});
class KUBEXX_EXPORT InProcessTransport final : public transport::Transport {
 public:
  InProcessTransport(apiserver::Core& core, std::shared_ptr<Executor> executor);
  /// Requests reach the core as tasks of `network`; answers still come on `executor`.
  InProcessTransport(apiserver::Core& core, std::shared_ptr<Executor> executor, std::shared_ptr<Executor> network);
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
