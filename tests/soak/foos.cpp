#include "soak/foos.hpp"

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/owner_reference.hpp"
#include "kubexx/workqueue/status.hpp"
#include "sample/resources.hpp"
#include "sample/run_long.hpp"
#include "soak/workload.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;
using test::kDeployments;
using test::kEvents;
using test::kFoos;

constexpr std::size_t kFooNames = 10;

sample::Options controller_options() {
  sample::Options options;
  options.resync = Duration::zero();
  options.backoff = {.initial = milliseconds(20), .cap = milliseconds(500)};
  options.longest_retry =
      milliseconds(500);  // a storm of failures would put a Foo off for longer than a quiet point waits
  options.events.retry_delay = milliseconds(20);
  return options;
}

meta::ObjectKey in_default(std::string_view name) {
  return {"default", std::string(name)};
}

std::optional<std::string> wrong_deployment(const meta::Object& foo, const apiserver::Core& core) {
  const auto deployment = core.get(kDeployments, in_default(foo.name()));
  if (!deployment) return "has no Deployment";
  if (!meta::is_controlled_by(*deployment, foo)) return "does not control its Deployment";
  if ((*deployment)["spec"]["replicas"] != foo["spec"]["replicas"]) return "has a Deployment of another size";
  if (foo.at("/status/availableReplicas").int_or(0) != deployment->at("/status/availableReplicas").int_or(0))
    return "does not say how many replicas are available";
  return std::nullopt;
}

}  // namespace

Foos::Foos(apiserver::Core& core, rest::Client client, Journal& journal, std::uint64_t seed)
    : core_(core), client_(std::move(client)), journal_(journal), random_(seed) {
  start();
}

Foos::~Foos() {
  stop();
}

void Foos::start() {
  controller_ = std::jthread([this, short_version = short_version_](const std::stop_token& stop) {
    const auto ended = short_version ? sample::run_short(client_, stop, controller_options())
                                     : sample_run_long(client_, stop, controller_options());
    if (ended || ended.error().is_canceled()) return;
    journal_.violation("", "the sample controller has ended: " + ended.error().message());
  });
}

void Foos::stop() {
  controller_.request_stop();
  if (controller_.joinable()) controller_.join();
}

void Foos::restart() {
  journal_.fault("the sample controller ends and comes back");
  stop();
  short_version_ = !short_version_;
  start();
}

void Foos::step() {
  const auto name = "f-" + std::to_string(random_.below(kFooNames));
  switch (random_.below(6)) {
    case 0:
      if (core_.remove(kFoos, in_default(name))) journal_.event(journal_key(kFoos, name), "deleted on the server");
      return;
    case 1:
    case 2:
      return meddle(name);
    default:
      return put(name);
  }
}

void Foos::put(const std::string& name) {
  const auto known = core_.get(kFoos, in_default(name));
  const meta::Draft foo = known ? known->edit() : meta::Draft();
  foo["apiVersion"].set("samplecontroller.k8s.io/v1alpha1");
  foo["kind"].set("Foo");
  foo["metadata"]["namespace"].set("default");
  foo["metadata"]["name"].set(name);
  foo["spec"]["deploymentName"].set(name);
  foo["spec"]["replicas"].set(static_cast<std::int64_t>(1 + random_.below(10)));
  const auto made = core_.seed(foo.to_object()).value();
  journal_.event(journal_key(kFoos, name), "written on the server @" + std::string(made.resource_version()));
}

/// As somebody else, or the controllers of a cluster: a Deployment is removed, changed, or makes progress.
void Foos::meddle(const std::string& name) {
  const auto deployment = core_.get(kDeployments, in_default(name));
  if (!deployment) return;
  journal_.event(journal_key(kFoos, name), "its Deployment is meddled with");
  const meta::Draft changed = deployment->edit();
  const auto replicas = static_cast<std::int64_t>(random_.below(10));
  switch (random_.below(3)) {
    case 0:
      static_cast<void>(core_.remove(kDeployments, in_default(name)));
      return;
    case 1:
      changed["spec"]["replicas"].set(replicas);
      break;
    default:
      changed["status"]["availableReplicas"].set(replicas);
      break;
  }
  static_cast<void>(core_.update(changed.to_object()));  // it may be gone meanwhile
}

std::optional<std::string> Foos::wrong() const {
  for (const auto& foo : core_.list(kFoos)) {
    if (const auto what = wrong_deployment(foo, core_)) return "Foo " + foo.key() + " " + *what;
  }
  for (const auto& deployment : core_.list(kDeployments)) {
    if (!core_.get(kFoos, in_default(deployment.name())))
      return "the Deployment " + deployment.key() + " has outlived its Foo";
  }
  for (const auto& queue : workqueue::live_queues()) {
    if (queue.depth + queue.processing + queue.delayed == 0) continue;
    return "the queue " + queue.name + " has " + std::to_string(queue.depth) + " keys left, " +
           std::to_string(queue.processing) + " under way for " + seconds_text(queue.longest_running) + ", " +
           std::to_string(queue.delayed) + " put off, after " + std::to_string(queue.retries) + " retries";
  }
  return std::nullopt;
}

void Foos::forget_events() {
  for (const auto& event : core_.list(kEvents)) {
    static_cast<void>(core_.remove(kEvents, meta::ObjectKey::of(event)));
  }
}

}  // namespace kubexx::soak
