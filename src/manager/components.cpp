// The components that the library has itself.
#include "kubexx/manager/component.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "base/internal/text.hpp"
#include "kubexx/base/error_sink.hpp"
#include "manager/until_stop.hpp"

namespace kubexx::manager {
namespace {

using Run = Async<Result<void>>;
using Informers = std::vector<std::shared_ptr<informer::SharedIndexInformer>>;

std::string not_synced(const informer::SharedInformerFactory& factory) {
  std::vector<std::string> names;
  for (const auto& informer : factory.informers()) {
    const auto status = informer->status();
    if (status.synced) continue;
    const auto& error = status.reflector.last_error;
    names.push_back(status.name + (error ? " (" + error->message() + ")" : ""));
  }
  return "not synced: " + joined(names, ", ");
}

/// Calls back once when all have said so.
std::function<void()> when_all(std::size_t count, std::function<void()> then) {
  auto left = std::make_shared<std::atomic<std::size_t>>(count);
  return [left = std::move(left), then = std::move(then)] {
    if (left->fetch_sub(1) == 1) then();
  };
}

void tell_when_synced(const Informers& all, const ComponentRun& run) {
  if (all.empty()) return run.started();
  const auto synced = when_all(all.size(), run.started);
  for (const auto& informer : all) {
    informer->wait_until_reached_async({}, {.stop = run.stop}).start([synced](const Result<void>& there) {
      if (there) synced();
    });
  }
}

void stop_all(const Informers& all, const std::function<void()>& ended) {
  if (all.empty()) return ended();
  const auto one_ended = when_all(all.size(), ended);
  for (const auto& informer : all) {
    informer->stop();
    informer->on_end(one_ended);
  }
}

}  // namespace

Component task_component(const rest::Client& client, std::string name,
                         std::function<Result<void>(const ComponentRun& run)> work) {
  if (!work) throw std::logic_error("a component needs something to run");
  Component component;
  component.name = std::move(name);
  component.run = [executor = client.handlers(), work = std::move(work)](ComponentRun run) {
    return Run(executor, [executor, work, run = std::move(run)](Run::Done done) {
      executor->post([executor, work, run, done = std::move(done)]() mutable {
        run.started();
        Result<void> result;
        try {
          result = work(run);
        } catch (...) {
          result = current_exception_as_error();
        }
        done(std::move(result));
      });
    });
  };
  return component;
}

Component informers_component(informer::SharedInformerFactory& factory, std::string name) {
  Component component;
  component.name = std::move(name);
  component.missing = [&factory] { return not_synced(factory); };
  component.run = [&factory](const ComponentRun& run) {
    const auto executor = factory.client().executor();
    return until_stop(
        executor, run.stop,
        [&factory, run] {
          factory.start(run.stop);
          tell_when_synced(factory.informers(), run);
          return Result<void>();
        },
        [&factory](UntilStop::Done done) {
          const auto shared = std::make_shared<UntilStop::Done>(std::move(done));
          stop_all(factory.informers(), [shared] { (*shared)({}); });
        });
  };
  return component;
}

namespace detail {

Component controller_component(const rest::Client& client, std::string name,
                               std::function<ErasedController(const ComponentRun&)> make) {
  if (!make) throw std::logic_error("a component needs a function that makes its controller");
  Component component;
  component.name = std::move(name);
  component.run = [handlers = client.handlers(), make = std::move(make)](const ComponentRun& run) {
    auto made = make(run);
    if (!made.core) throw std::logic_error("there is no controller to run");
    made.core->start(run.stop, std::move(made.reconcile));
    run.started();
    // Where code may block: a controller that goes waits for its handlers.
    return made.core->ended_async().on(handlers).map([core = made.core](Result<void> ended) mutable {
      core.reset();
      return ended;
    });
  };
  return component;
}

}  // namespace detail
}  // namespace kubexx::manager
