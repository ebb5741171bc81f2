#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::reflector {

/// A reflector between a script and a recorder, on a clock that the test moves.
class ReflectorTest : public testing::Test {
 protected:
  void start(ReflectorOptions options = {}) {
    options.random = &random;
    if (options.type_description.empty()) options.type_description = "configmaps";
    if (!options.watch_error_handler) {
      options.watch_error_handler = [this](const reflector::WatchError& failed) {
        errors.push_back(failed.error.message());
      };
    }
    reflector = Reflector::create(script, sink, Strand(executor), std::move(options));
    reflector->start();
    executor->run_until_idle();
  }
  void run() { executor->run_until_idle(); }
  void send(meta::WatchEventType type, meta::Object object) {
    script->stream().send({type, std::move(object)});
    run();
  }
  ReflectorState state() const { return reflector->status().state; }
  std::vector<std::string> list_versions() const {
    std::vector<std::string> versions;
    for (const auto& query : script->lists) versions.push_back(query.resource_version);
    return versions;
  }
  void TearDown() override {
    if (reflector) reflector->stop();
    executor->run_until_idle();
  }

  FixtureExecutor executor;
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::shared_ptr<Recorder> sink = std::make_shared<Recorder>();
  std::shared_ptr<Reflector> reflector;
  Random random{7};
  std::vector<std::string> errors;
};

}  // namespace kubexx::reflector
