#include "tour_steps.hpp"

#include <algorithm>
#include <array>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/yaml.hpp"
#include "output.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using reflector::ReflectorState;

const meta::GroupVersionResource kPods{"", "v1", "pods"};
const meta::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
constexpr std::size_t kBurst = 20;    // changes that come at once
constexpr std::size_t kBacklog = 10;  // of them, so many wait for the slow handler

// Not among those of the workload, which rolls out and scales what is in its namespace.
constexpr std::string_view kNewDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: after-the-backup, namespace: default, labels: {app: after-the-backup}}
spec:
  replicas: 2
  selector: {matchLabels: {app: after-the-backup}}
  template:
    metadata: {labels: {app: after-the-backup}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
)";
constexpr std::size_t kNewObjects = 3;  // the Deployment and its pods
constexpr int kOtherWrites = 200;       // after the backup

Result<void> nothing(TourWorld&) {
  return {};
}

bool is_away(const InformerPicture& informer) {
  const auto& reflector = informer.status.reflector;
  return reflector.state == ReflectorState::BackingOff && reflector.last_error;  // and not about to try again
}

std::string error_of(const InformerPicture& informer) {
  const auto& error = informer.status.reflector.last_error;
  return error ? one_line(error->message()) : "no error";
}

std::uint64_t relist_calls_since(const Picture& before, const Picture& now) {
  std::uint64_t calls = 0;
  for (const auto& informer : now.informers()) calls += informer.by_relist - before.of(informer.name).by_relist;
  return calls;
}

std::uint64_t watch_calls_since(const Picture& before, const Picture& now) {
  std::uint64_t calls = 0;
  for (const auto& informer : now.informers()) calls += informer.by_watch - before.of(informer.name).by_watch;
  return calls;
}

const informer::HandlerStatus& handler_of_pods(const Picture& picture, std::string_view name) {
  const auto& handlers = picture.of("pods").status.handlers;
  return *std::find_if(handlers.begin(), handlers.end(), [&](const auto& handler) { return handler.name == name; });
}

/// Versions that are gone after a restore. With a few of them only, the restored cluster, which moves too, has passed
/// those of the caches before informers ask for its version, and nobody sees that it went back.
Result<void> write_much(TourWorld& world) {
  meta::Draft notes;
  notes["apiVersion"].set("v1");
  notes["kind"].set("ConfigMap");
  notes["metadata"]["name"].set("notes");
  notes["metadata"]["namespace"].set("default");
  for (int i = 0; i < kOtherWrites; ++i) {
    notes["data"]["count"].set(std::to_string(i));
    if (auto written = world.core().seed(notes.to_object()); !written) return written.error();
  }
  return {};
}

/// Twenty changes, spread over the pods there are.
Result<void> change_pods(TourWorld& world) {
  for (std::size_t i = 0; i < kBurst;) {
    const auto pods = world.core().list(kPods);
    if (pods.empty()) return Error::config("the cluster has no pods");
    for (std::size_t k = 0; k < pods.size() && i < kBurst; ++k, ++i) {
      auto changed = pods[k].edit();
      changed["metadata"]["annotations"]["tour"].set(std::to_string(i));
      // One that went in the meantime is a change too.
      static_cast<void>(world.core().update(changed.to_object()).has_value());
    }
  }
  return {};
}

constexpr std::array<TourStep, 9> kSteps = {{
    {"At rest",
     "Four informers have asked for the whole state of their resource once, and watch it since. Handlers are called "
     "with every change, and reads are served from memory. The cluster moves by itself: pods restart, Foos are scaled.",
     nothing,
     [](const TourWorld&, const Picture& now) {
       return now.all_watch() && now.of("pods").status.objects > 0 && now.of("foos").status.objects == 2;
     },
     [](const TourWorld&, const Picture& now) {
       std::size_t objects = 0;
       for (const auto& informer : now.informers()) objects += informer.status.objects;
       return "four caches with " + grouped(objects) + " objects, all of them watching";
     }},
    {"The connection is cut",
     "All connections are closed and new ones refused, as when the network or the API server is gone. The informers "
     "say what is wrong and try again, a little later each time. Their caches stay: reads go on as before.",
     [](TourWorld& world) -> Result<void> {
       world.outage = world.cluster().server().refuse_connections();
       return {};
     },
     [](const TourWorld&, const Picture& now) {
       return std::all_of(now.informers().begin(), now.informers().end(), is_away);
     },
     [](const TourWorld&, const Picture& now) {
       return "nobody watches, and " + grouped(now.of("pods").status.objects) +
              " pods can be read; pods say: " + error_of(now.of("pods"));
     }},
    {"The server is back",
     "Connections are accepted again. Each watch goes on from the version that its cache has, and the server sends "
     "what was missed; nothing is listed again (it would be, after a minute without a server).",
     [](TourWorld& world) -> Result<void> {
       world.outage.end();
       return {};
     },
     [](const TourWorld&, const Picture& now) { return now.all_watch(); },
     [](const TourWorld& world, const Picture& now) {
       return grouped(watch_calls_since(world.before(), now)) + " calls by watches that were resumed, " +
              grouped(relist_calls_since(world.before(), now)) + " by new lists";
     }},
    {"A backup, and a Deployment after it",
     "The state of the server is put aside, as a backup of etcd. Then somebody creates the Deployment "
     "after-the-backup; it gets two pods, and the informers see all three.",
     [](TourWorld& world) -> Result<void> {
       world.version_of_backup = world.core().version();
       world.backup = world.core().checkpoint();
       if (auto written = write_much(world); !written) return written;
       auto created = world.core().seed(meta::object_from_yaml(kNewDeployment));
       return created ? Result<void>() : Result<void>(created.error());
     },
     [](const TourWorld& world, const Picture&) { return world.newer_objects() >= kNewObjects; },
     [](const TourWorld& world, const Picture& now) {
       return grouped(world.newer_objects()) + " objects are newer than the backup of version " +
              std::to_string(world.version_of_backup) + "; pods are at version " +
              now.of("pods").status.resource_version;
     }},
    {"The old etcd is restored",
     "The server goes back to the backup: its versions are now lower than those of the caches. Who does not notice "
     "waits "
     "for versions that are long past. These informers do, list again, and tell their handlers what is gone.",
     [](TourWorld& world) -> Result<void> {
       world.version_before_restore = world.core().version();
       world.core().restore(world.backup);
       return {};
     },
     [](const TourWorld& world, const Picture& now) {
       return world.newer_objects() == 0 && now.all_watch() && relist_calls_since(world.before(), now) >= kNewObjects;
     },
     [](const TourWorld& world, const Picture& now) {
       return "the server went from version " + std::to_string(world.version_before_restore) + " back to " +
              std::to_string(world.version_of_backup) + "; " + grouped(relist_calls_since(world.before(), now)) +
              " calls by new lists, and nothing newer than the backup is left";
     }},
    {"A definition is removed",
     "The CustomResourceDefinition of Foo is deleted, and all Foos with it. What the server does not know cannot be "
     "watched: their informer tells its handlers that all are gone, parks, and asks now and then. The others go on.",
     [](TourWorld& world) -> Result<void> {
       const client::ResourceApi definitions(world.cluster().client(), kDefinitions);
       client::DeleteOptions options;
       options.stop = world.stop();
       return definitions.remove("foos.samplecontroller.k8s.io", options);
     },
     [](const TourWorld&, const Picture& now) {
       const auto& foos = now.of("foos").status;
       return foos.reflector.state == ReflectorState::Parked && foos.objects == 0;
     },
     [](const TourWorld&, const Picture& now) { return "foos are parked and say: " + error_of(now.of("foos")); }},
    {"The definition comes back",
     "It is installed again, with two Foos. Their informer finds out within a few seconds, without a restart of the "
     "program, and the controller makes their Deployments anew.",
     [](TourWorld& world) { return world.cluster().install_foos(world.stop()); },
     [](const TourWorld&, const Picture& now) { return now.all_watch() && now.of("foos").status.objects == 2; },
     [](const TourWorld&, const Picture& now) {
       return grouped(now.of("foos").status.objects) + " Foos are cached again";
     }},
    {"A handler becomes slow",
     "The second handler of pods now takes a second for each call, and twenty changes come at once. Its calls wait in "
     "a "
     "queue of its own: the cache, and the first handler of the same informer, do not wait for it.",
     [](TourWorld& world) {
       world.slow_down();
       return change_pods(world);
     },
     [](const TourWorld& world, const Picture& now) {
       const auto& quick = handler_of_pods(now, "quick");
       return handler_of_pods(now, "slow").depth >= kBacklog && quick.depth == 0 &&
              quick.calls >= handler_of_pods(world.before(), "quick").calls + kBacklog;
     },
     [](const TourWorld&, const Picture& now) {
       return grouped(handler_of_pods(now, "slow").depth) + " calls wait for the slow handler, none for the quick one";
     }},
    {"It is quick again",
     "What waits is handed over in its order, one call after the other. Nothing was dropped and nothing merged (a "
     "handler may ask for that, with coalesce): in the end both handlers have had the same calls.",
     [](TourWorld& world) -> Result<void> {
       world.speed_up();
       return {};
     },
     [](const TourWorld&, const Picture& now) {
       const auto& slow = handler_of_pods(now, "slow");
       const auto& quick = handler_of_pods(now, "quick");
       return slow.depth == 0 && quick.depth == 0 && slow.calls == quick.calls;
     },
     [](const TourWorld&, const Picture& now) {
       return "both handlers of pods have had " + grouped(handler_of_pods(now, "slow").calls) + " calls";
     }},
}};

}  // namespace

std::span<const TourStep> tour_steps() {
  return kSteps;
}

}  // namespace kubexx::app
