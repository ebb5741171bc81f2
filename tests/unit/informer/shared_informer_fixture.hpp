#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

/// A SharedIndexInformer on one thread: a scripted source, a ManualExecutor, and handlers that write down their calls.
namespace kubexx::informer {

using reflector::config_map;
using reflector::Script;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Lines = std::vector<std::string>;

class SharedInformerTest : public testing::TestWithParam<QueueKind> {
 protected:
  SharedInformerTest() {
    options.description = "configmaps";
    options.queue = GetParam();
    options.executor = executor;
    options.handlers = handlers;
    options.reflector.emplace();
    options.reflector->backoff = Backoff::none();
    options.reflector->version_check = Duration::zero();
    options.reflector->random = &random;
  }
  void make() { informer = SharedIndexInformer::create(script, options); }
  void start() {
    if (!informer) make();
    informer->start();
    run();
  }
  /// The library's work, then the handlers'; again while one leads to the other.
  void run() {
    while (executor->run_until_idle() + handlers->run_until_idle() > 0) {
    }
  }
  void send(meta::WatchEventType type, meta::Object object) { script->stream().send({type, std::move(object)}); }
  Registration add(Lines& lines, HandlerOptions how = {}) {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [&lines](const meta::Object& o, bool initial) {
      lines.push_back((initial ? "initial " : "add ") + text(o));
    };
    f.on_update = [&lines](const meta::Object& before, const meta::Object& after, const EventContext& context) {
      lines.push_back("update " + text(before) + " " + text(after) + " " + std::string(to_string(context.cause())));
    };
    f.on_delete = [&lines](const Deleted<meta::Object>& gone) {
      lines.push_back("delete " + gone.key() + " " + (gone.last_known() ? text(gone.last_known()) : "null") +
                      (gone.final_state_known() ? "" : " unknown"));
    };
    return informer->add_event_handler(std::move(f), std::move(how));
  }
  static std::string text(const meta::Object& o) {
    return std::string(o.name()) + "@" + std::string(o.resource_version());
  }
  void TearDown() override {
    if (informer) informer->stop();
    run();
  }

  FixtureExecutor executor;
  FixtureExecutor handlers;
  std::shared_ptr<Script> script = std::make_shared<Script>();
  Random random{7};
  InformerOptions options;
  std::shared_ptr<SharedIndexInformer> informer;
};

inline constexpr auto kAdded = meta::WatchEventType::Added;
inline constexpr auto kModified = meta::WatchEventType::Modified;
inline constexpr auto kDeleted = meta::WatchEventType::Deleted;

}  // namespace kubexx::informer
