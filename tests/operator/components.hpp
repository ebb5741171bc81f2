#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/manager/component.hpp"

namespace kubexx::manager {

/// A component whose every step a test takes by hand, and that writes down what happens to it.
class ScriptedComponent {
 public:
  ScriptedComponent(std::shared_ptr<Executor> executor, std::string name, std::vector<std::string>& journal)
      : executor_(std::move(executor)), name_(std::move(name)), journal_(journal) {}

  bool comes_up = true;  ///< by itself
  bool ends = true;      ///< when it is told to

  Component component(bool needs_leader = false) {
    Component made;
    made.name = name_;
    made.needs_leader = needs_leader;
    made.run = [this](const ComponentRun& run) {
      return Async<Result<void>>(executor_, [this, run](Async<Result<void>>::Done done) {
        journal_.push_back("start " + name_);
        given = run;
        done_ = std::move(done);
        on_stop_.emplace(run.stop, [this] { executor_->post([this] { told(); }); });
        if (comes_up) run.started();
      });
    };
    return made;
  }
  void end(Result<void> result = {}) {
    on_stop_.reset();
    executor_->post(
        [done = std::make_shared<Async<Result<void>>::Done>(std::move(done_)), result] { (*done)(result); });
  }

  ComponentRun given;

 private:
  void told() {
    journal_.push_back("stop " + name_);
    if (ends) end();
  }

  const std::shared_ptr<Executor> executor_;
  const std::string name_;
  std::vector<std::string>& journal_;
  Async<Result<void>>::Done done_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace kubexx::manager
