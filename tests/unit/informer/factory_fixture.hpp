#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/informer/shared_informer_factory.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {

inline const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline const meta::GroupVersionResource kSecrets{"", "v1", "secrets"};
inline const meta::GroupVersionResource kNodes{"", "v1", "nodes"};

/// Writes down what is asked and never answers.
class SilentTransport final : public transport::Transport {
 public:
  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    return std::make_unique<Open>(std::move(sink));
  }
  std::vector<transport::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const auto& request : requests()) {
      const auto begin = request.url.find('/', request.url.find("//") + 2);
      all.push_back(request.url.substr(begin, request.url.find('?') - begin));
    }
    return all;
  }

 private:
  struct Open final : transport::Exchange {
    explicit Open(std::shared_ptr<transport::ResponseSink> s) : sink(std::move(s)) {}
    void resume() override {}
    std::shared_ptr<transport::ResponseSink> sink;
  };
  mutable std::mutex mutex_;
  std::vector<transport::Request> requests_;  // guarded by mutex_
};

/// A factory on one thread, before a server that never answers; informers that sync are made of scripts.
class FactoryTest : public ::testing::Test {
 protected:
  rest::Client client() {
    rest::Config config;
    config.host = "http://127.0.0.1:1";
    rest::ClientOptions options;
    options.transport = transport;
    options.executor = executor;
    options.handlers = handlers;
    options.metrics = std::make_shared<MetricsRegistry>();
    return rest::Client::create(config, std::move(options)).value();
  }
  void make(FactoryOptions options = {}) {
    factory = std::make_unique<SharedInformerFactory>(client(), std::move(options));
  }
  void make_dynamic(FactoryOptions options = {}) {
    factory = std::make_unique<DynamicSharedInformerFactory>(client(), std::move(options));
  }
  std::shared_ptr<SharedIndexInformer> ask(const meta::GroupVersionResource& resource, const Scope& scope = {}) {
    return factory->for_resource(resource, scope).value().shared();
  }
  InformerOptions scripted_options() {
    InformerOptions options;
    options.description = "things";
    options.executor = executor;
    options.handlers = handlers;
    options.reflector.emplace();
    options.reflector->backoff = Backoff::none();
    options.reflector->version_check = Duration::zero();
    return options;
  }
  SharedInformerFactory::NewInformerFunc scripted() {
    return [this](const rest::Client&, const InformerOptions&) {
      return SharedIndexInformer::create(script, scripted_options());
    };
  }
  /// The library's work, then the handlers'; again while one leads to the other.
  void run() {
    while (executor->run_until_idle() + handlers->run_until_idle() > 0) {
    }
  }
  /// What waits for the factory's end is done here meanwhile.
  void destroy_factory() {
    std::atomic<bool> gone{false};
    const std::jthread ending([&] {
      factory.reset();
      gone = true;
    });
    while (!gone) run();
  }
  void TearDown() override { destroy_factory(); }

  FixtureExecutor executor;
  FixtureExecutor handlers;
  std::shared_ptr<SilentTransport> transport = std::make_shared<SilentTransport>();
  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  std::unique_ptr<SharedInformerFactory> factory;
};

}  // namespace kubexx::informer
