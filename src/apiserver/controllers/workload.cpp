#include "kubexx/apiserver/workload.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/owner_reference.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Draft;
using meta::DraftRef;
using meta::Object;
using meta::Value;

const meta::GroupVersionResource kPods{"", "v1", "pods"};
const meta::GroupVersionResource kNodes{"", "v1", "nodes"};
const meta::GroupVersionResource kReplicaSets{"apps", "v1", "replicasets"};
const meta::GroupVersionResource kDeployments{"apps", "v1", "deployments"};
constexpr std::string_view kHashLabel = "pod-template-hash";
constexpr const char* kNamespace = "demo";

bool ready(const Object& pod) {
  return meta::is_condition_true(pod, "Ready");
}

// Short and stable: what a template's name ends in.
std::string template_hash(Value pod_template) {
  static constexpr char kLetters[] = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t hash = 1469598103934665603U;
  for (const char c : meta::to_json(pod_template)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::string out;
  for (int i = 0; i < 9; ++i, hash /= 27) out += kLetters[hash % 27];
  return out;
}

void set_condition(DraftRef list, std::string_view type, std::string_view status, const std::string& now) {
  DraftRef entry;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]["type"].string() == type) entry = list[i];
  }
  const bool known = entry.exists();
  if (!known) entry = list.append();
  if (entry["status"].string() != status) entry["lastTransitionTime"].set(now);
  entry["type"].set(type);
  entry["status"].set(status);
}

}  // namespace

class KUBEXX_HIDDEN Workload::Impl : public std::enable_shared_from_this<Workload::Impl> {
 public:
  Impl(Core& core, std::shared_ptr<Executor> executor, WorkloadOptions options)
      : core_(core), executor_(std::move(executor)), options_(options), random_(options.seed ? options.seed : 1) {}

  void start() {
    const std::lock_guard lock(mutex_);
    create_demo();
    arm();
  }

  void stop() {
    stopped_ = true;  // ends a step under way, which has the lock
    const std::lock_guard lock(mutex_);
    timer_.cancel();
  }

 private:
  void arm() {
    timer_ = executor_->post_after(options_.step, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      const std::lock_guard lock(self->mutex_);
      if (self->stopped_) return;
      self->step();
      self->arm();
    });
  }

  std::string now() const { return meta::Time::from_wall(executor_->clock().wall()).to_string(); }

  void put(const Draft& draft) { (void)core_.seed(draft.to_object()).has_value(); }

  void create_demo() {
    for (std::size_t i = 0; i < options_.nodes; ++i) {
      Draft node;
      node["apiVersion"].set("v1");
      node["kind"].set("Node");
      node["metadata"]["name"].set("node-" + std::to_string(i + 1));
      node["metadata"]["labels"]["kubernetes.io/hostname"].set("node-" + std::to_string(i + 1));
      for (const char* kind : {"capacity", "allocatable"}) {
        node["status"][kind]["cpu"].set("8");
        node["status"][kind]["memory"].set("32Gi");
        node["status"][kind]["pods"].set("110");
      }
      const DraftRef address = node["status"]["addresses"].append();
      address["type"].set("InternalIP");
      address["address"].set("10.0.0." + std::to_string(i + 1));
      node["status"]["nodeInfo"]["kubeletVersion"].set("v1.36.4");
      put(node);
    }
    beat();
    if (options_.pods == 0) return;
    Draft home;
    home["apiVersion"].set("v1");
    home["kind"].set("Namespace");
    home["metadata"]["name"].set(kNamespace);
    home["spec"]["finalizers"].append("kubernetes");
    home["status"]["phase"].set("Active");
    put(home);
    static constexpr const char* kNames[] = {"web", "api", "cache", "worker", "search", "mail"};
    std::size_t left = options_.pods;
    for (std::size_t i = 0; left > 0; ++i) {
      const std::size_t replicas = std::min<std::size_t>(4, left);
      left -= replicas;
      std::string name = kNames[i % 6];
      if (i >= 6) name += '-' + std::to_string(i / 6);
      Draft deployment;
      deployment["apiVersion"].set("apps/v1");
      deployment["kind"].set("Deployment");
      deployment["metadata"]["name"].set(name);
      deployment["metadata"]["namespace"].set(kNamespace);
      deployment["metadata"]["generation"].set(1);
      deployment["metadata"]["labels"]["app"].set(name);
      const DraftRef spec = deployment["spec"];
      spec["replicas"].set(static_cast<std::int64_t>(replicas));
      spec["selector"]["matchLabels"]["app"].set(name);
      spec["strategy"]["type"].set("RollingUpdate");
      spec["template"]["metadata"]["labels"]["app"].set(name);
      const DraftRef container = spec["template"]["spec"]["containers"].append();
      container["name"].set("main");
      container["image"].set("registry.example/" + name + ":1");
      put(deployment);
    }
  }

  void each(const meta::GroupVersionResource& resource, const std::function<void(const Object&)>& act) {
    for (const Object& object : core_.list(resource)) {
      if (stopped_) return;
      act(object);
    }
  }

  void step() {
    ++steps_;
    each(kDeployments, [this](const Object& deployment) { reconcile_deployment(deployment); });
    each(kReplicaSets, [this](const Object& set) { reconcile_replica_set(set); });
    each(kPods, [this](const Object& pod) { run_pod(pod); });
    const auto steps_per_beat =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(options_.heartbeat / options_.step));
    if (steps_ % steps_per_beat == 0) beat();
    changes_due_ += options_.changes_per_second * std::chrono::duration<double>(options_.step).count();
    for (; changes_due_ >= 1 && !stopped_; --changes_due_) change_something();
  }

  void beat() {
    each(kNodes, [this](const Object& node) {
      Draft draft = node.edit();
      const DraftRef conditions = draft["status"]["conditions"];
      set_condition(conditions, "Ready", "True", now());
      for (std::size_t i = 0; i < conditions.size(); ++i) conditions[i]["lastHeartbeatTime"].set(now());
      put(draft);
      Draft lease;
      lease["apiVersion"].set("coordination.k8s.io/v1");
      lease["kind"].set("Lease");
      lease["metadata"]["name"].set(node.name());
      lease["metadata"]["namespace"].set("kube-node-lease");
      lease["spec"]["holderIdentity"].set(node.name());
      lease["spec"]["leaseDurationSeconds"].set(40);
      lease["spec"]["renewTime"].set(meta::MicroTime::from_wall(executor_->clock().wall()).to_string());
      put(lease);
    });
  }

  // The set of the current template grows by one a step while older ones shrink, as a rollout does.
  void reconcile_deployment(const Object& deployment) {
    if (!deployment.deletion_timestamp().empty()) return;
    const Value spec = deployment["spec"];
    const std::string hash = template_hash(spec["template"]);
    const std::string name = std::string(deployment.name()) + '-' + hash;
    const std::int64_t wanted = spec["replicas"].int_or(1);
    std::int64_t total = 0;
    std::int64_t ready_total = 0;
    std::int64_t updated = 0;
    Object current;
    Object oldest;
    for (const Object& set : core_.list(kReplicaSets, deployment.namespace_())) {
      if (!meta::is_controlled_by(set, deployment)) continue;
      total += set["spec"]["replicas"].int_or(0);
      ready_total += set["status"]["readyReplicas"].int_or(0);
      if (set.name() == name) {
        current = set;
        updated = set["status"]["replicas"].int_or(0);
      } else if (set["spec"]["replicas"].int_or(0) > 0) {
        oldest = set;
      }
    }
    if (!current) {
      Draft set;
      set["apiVersion"].set("apps/v1");
      set["kind"].set("ReplicaSet");
      set["metadata"]["name"].set(name);
      set["metadata"]["namespace"].set(deployment.namespace_());
      set["metadata"]["generation"].set(1);
      set["metadata"]["labels"].set(spec["template"]["metadata"]["labels"]);
      set["metadata"]["labels"][kHashLabel].set(hash);
      (void)meta::set_controller_reference(deployment, set).has_value();
      set["spec"]["replicas"].set(oldest ? std::int64_t{1} : wanted);
      set["spec"]["selector"].set(spec["selector"]);
      set["spec"]["selector"]["matchLabels"][kHashLabel].set(hash);
      set["spec"]["template"].set(spec["template"]);
      set["spec"]["template"]["metadata"]["labels"][kHashLabel].set(hash);
      put(set);
      return;
    }
    const std::int64_t have = current["spec"]["replicas"].int_or(0);
    if (oldest && ready_total >= wanted) {
      scale(oldest, oldest["spec"]["replicas"].int_or(0) - 1);
    } else if (oldest && have < wanted && total <= wanted) {
      scale(current, have + 1);
    } else if (!oldest && have != wanted) {
      scale(current, wanted);
    }
    report(deployment, total, ready_total, updated, wanted);
  }

  void scale(const Object& set, std::int64_t replicas) {
    Draft draft = set.edit();
    draft["spec"]["replicas"].set(replicas);
    draft["metadata"]["generation"].set(set.generation() + 1);
    put(draft);
  }

  void report(const Object& deployment, std::int64_t total, std::int64_t ready_total, std::int64_t updated,
              std::int64_t wanted) {
    Draft draft = deployment.edit();
    const DraftRef status = draft["status"];
    status["observedGeneration"].set(deployment.generation());
    status["replicas"].set(total);
    status["updatedReplicas"].set(updated);
    status["readyReplicas"].set(ready_total);
    status["availableReplicas"].set(ready_total);
    status["unavailableReplicas"].set(std::max<std::int64_t>(0, wanted - ready_total));
    set_condition(status["conditions"], "Available", ready_total >= wanted ? "True" : "False", now());
    put_if_changed(deployment, draft);
  }

  void put_if_changed(const Object& before, const Draft& draft) {
    const Object after = draft.to_object();
    const Value a = before["status"];
    for (const auto& [name, value] : after["status"].entries()) {
      const bool zero = value.get_int() && value.int_or(0) == 0 && !a[name].exists();
      if (!zero && !(a[name] == value)) {
        (void)core_.seed(after).has_value();
        return;
      }
    }
  }

  void reconcile_replica_set(const Object& set) {
    if (!set.deletion_timestamp().empty()) return;
    std::vector<Object> pods;
    std::int64_t ready_count = 0;
    for (const Object& pod : core_.list(kPods, set.namespace_())) {
      if (!meta::is_controlled_by(pod, set) || !pod.deletion_timestamp().empty()) continue;
      pods.push_back(pod);
      ready_count += ready(pod) ? 1 : 0;
    }
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(0, set["spec"]["replicas"].int_or(1)));
    for (std::size_t i = pods.size(); i < wanted; ++i) {
      Draft pod;
      pod["apiVersion"].set("v1");
      pod["kind"].set("Pod");
      pod["metadata"].set(set["spec"]["template"]["metadata"]);
      pod["metadata"]["name"].set(std::string(set.name()) + '-' + suffix());
      pod["metadata"]["generateName"].set(std::string(set.name()) + '-');
      pod["metadata"]["namespace"].set(set.namespace_());
      (void)meta::set_controller_reference(set, pod).has_value();
      pod["spec"].set(set["spec"]["template"]["spec"]);
      pod["status"]["phase"].set("Pending");
      put(pod);
    }
    for (std::size_t i = wanted; i < pods.size(); ++i)
      (void)core_.remove(kPods, meta::ObjectKey::of(pods[i])).has_value();
    Draft draft = set.edit();
    draft["status"]["replicas"].set(static_cast<std::int64_t>(std::max(wanted, std::size_t{0})));
    draft["status"]["readyReplicas"].set(std::min<std::int64_t>(ready_count, static_cast<std::int64_t>(wanted)));
    draft["status"]["availableReplicas"].set(std::min<std::int64_t>(ready_count, static_cast<std::int64_t>(wanted)));
    draft["status"]["observedGeneration"].set(set.generation());
    put_if_changed(set, draft);
  }

  std::string suffix() {
    static constexpr char kLetters[] = "bcdfghjklmnpqrstvwxz2456789";
    std::string out;
    for (int i = 0; i < 5; ++i) out += kLetters[random_.below(27)];
    return out;
  }

  // One step of a pod's life: placed, then running, then ready.
  void run_pod(const Object& pod) {
    if (!pod.deletion_timestamp().empty()) return;
    const std::string_view phase = pod["status"]["phase"].string();
    if (phase == "Succeeded" || phase == "Failed") return;
    if (pod["spec"]["nodeName"].string().empty()) {
      if (options_.nodes == 0) return;
      Draft draft = pod.edit();
      draft["spec"]["nodeName"].set("node-" + std::to_string(random_.below(options_.nodes) + 1));
      set_condition(draft["status"]["conditions"], "PodScheduled", "True", now());
      put(draft);
      return;
    }
    if (!pod["spec"]["nodeName"].string().starts_with("node-")) return;
    if (ready(pod)) return;
    Draft draft = pod.edit();
    const DraftRef status = draft["status"];
    const bool starting = phase != "Running";
    status["phase"].set("Running");
    if (starting) {
      status["startTime"].set(now());
      status["hostIP"].set("10.0.0.1");
      status["podIP"].set("10.2." + std::to_string(random_.below(250)) + '.' + std::to_string(1 + random_.below(250)));
      status["containerStatuses"].erase();
      for (Value container : pod["spec"]["containers"].items()) {
        const DraftRef entry = status["containerStatuses"].append();
        entry["name"].set(container["name"].string());
        entry["image"].set(container["image"].string());
        entry["imageID"].set("sha256:" + template_hash(container));
        entry["restartCount"].set(0);
        entry["ready"].set(false);
        entry["started"].set(true);
        entry["state"]["running"]["startedAt"].set(now());
      }
      set_condition(status["conditions"], "Ready", "False", now());
    } else {
      for (std::size_t i = 0; i < status["containerStatuses"].size(); ++i) {
        const DraftRef entry = status["containerStatuses"][i];
        entry["ready"].set(true);
        entry["state"].erase();
        entry["state"]["running"]["startedAt"].set(now());
      }
      set_condition(status["conditions"], "Ready", "True", now());
      set_condition(status["conditions"], "ContainersReady", "True", now());
    }
    put(draft);
  }

  void change_something() {
    const std::uint64_t dice = random_.below(10);
    if (dice < 7) return restart_container();
    const std::vector<Object> deployments = core_.list(kDeployments, kNamespace);
    if (deployments.empty()) return;
    const Object deployment = deployments[random_.below(deployments.size())];
    Draft draft = deployment.edit();
    if (dice < 9) {
      // A rollout: the next tag of the image.
      const DraftRef image = draft["spec"]["template"]["spec"]["containers"][0]["image"];
      const std::string text(image.string());
      image.set(text.substr(0, text.rfind(':') + 1) + std::to_string(deployment.generation() + 1));
    } else {
      draft["spec"]["replicas"].set(static_cast<std::int64_t>(2 + random_.below(4)));
    }
    draft["metadata"]["generation"].set(deployment.generation() + 1);
    put(draft);
  }

  void restart_container() {
    const std::vector<Object> pods = core_.list(kPods, kNamespace);
    if (pods.empty()) return;
    const Object pod = pods[random_.below(pods.size())];
    if (!ready(pod)) return;
    Draft draft = pod.edit();
    const DraftRef entry = draft["status"]["containerStatuses"][0];
    entry["restartCount"].set(entry["restartCount"].int_or(0) + 1);
    entry["ready"].set(false);
    const DraftRef last = entry["lastState"]["terminated"];
    last["exitCode"].set(1);
    last["reason"].set("Error");
    last["startedAt"].set(now());
    last["finishedAt"].set(now());
    entry["state"].erase();
    entry["state"]["waiting"]["reason"].set("CrashLoopBackOff");
    set_condition(draft["status"]["conditions"], "Ready", "False", now());
    set_condition(draft["status"]["conditions"], "ContainersReady", "False", now());
    put(draft);
  }

  Core& core_;
  const std::shared_ptr<Executor> executor_;
  const WorkloadOptions options_;
  Random random_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  Timer timer_;              // guarded by mutex_
  std::uint64_t steps_ = 0;  // guarded by mutex_
  double changes_due_ = 0;   // guarded by mutex_
};

Workload::Workload(Core& core, std::shared_ptr<Executor> executor, WorkloadOptions options)
    : impl_(std::make_shared<Impl>(core, std::move(executor), options)) {
  impl_->start();
}

Workload::~Workload() {
  impl_->stop();
}

}  // namespace kubexx::apiserver
