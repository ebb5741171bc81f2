#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/async.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/testkit/in_process_transport.hpp"
#include "support/fixture_executor.hpp"

namespace kubexx {

/// A program and its server on one thread and without sockets: nothing happens unless the executor is told to run.
struct OneThread {
  /// `seed`: of the order in which tasks run; 0: as they were posted.
  explicit OneThread(std::uint64_t seed = 0, apiserver::Options options = {}) : executor(seed) {
    options.authentication = false;
    options.seed = 1;
    options.executor = executor;
    core = std::make_unique<apiserver::Core>(std::move(options));
    rest::Config config;
    config.host = "http://server";
    rest::ClientOptions wire;
    transport = std::make_shared<testkit::InProcessTransport>(*core, executor);
    wire.transport = transport;
    wire.executor = executor;
    wire.handlers = executor;
    wire.metrics = std::make_shared<MetricsRegistry>();
    client = rest::Client::create(std::move(config), std::move(wire)).value();
  }
  ~OneThread() { executor->run_until_idle(); }

  /// Begins it and runs what is ready; nothing when it has not completed by then.
  template <class T>
  std::optional<T> result(Async<T> operation) {
    std::optional<T> got;
    std::move(operation).start([&got](T value) { got.emplace(std::move(value)); });
    executor->run_until_idle();
    return got;
  }

  /// Has something done that blocks, and runs meanwhile what it waits for.
  void meanwhile(const std::function<void()>& blocks) {
    std::atomic<bool> over{false};
    const std::jthread thread([&] {
      blocks();
      over = true;
    });
    while (!over) executor->run_until_idle();
  }

  FixtureExecutor executor;
  std::unique_ptr<apiserver::Core> core;
  std::shared_ptr<testkit::InProcessTransport> transport;
  std::optional<rest::Client> client;
};

}  // namespace kubexx
