#include "corpus/pod_corpus.hpp"

#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace kubexx::bench {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  std::string text(std::string_view alphabet, std::size_t size) {
    std::string out(size, ' ');
    for (char& c : out) c = alphabet[below(alphabet.size())];
    return out;
  }
  std::string hex(std::size_t size) { return text("0123456789abcdef", size); }
  std::string suffix(std::size_t size) { return text("bcdfghjklmnpqrstvwxz2456789", size); }
  std::string uuid() { return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12); }

 private:
  std::uint64_t state_;
};

std::string two(std::size_t number) {
  return {static_cast<char>('0' + number / 10 % 10), static_cast<char>('0' + number % 10)};
}

std::string time_of(Random& random) {
  return "2024-0" + std::to_string(1 + random.below(9)) + "-" + two(1 + random.below(28)) + "T" +
         two(random.below(24)) + ":" + two(random.below(60)) + ":" + two(random.below(60)) + "Z";
}

/// What $1 to $9 and $a to $z stand for in the texts below.
class Words {
 public:
  void set(char name, std::string text) { words_[static_cast<unsigned char>(name)] = std::move(text); }
  const std::string& get(char name) const { return words_[static_cast<unsigned char>(name)]; }
  void fill(std::string& out, std::string_view text) const {
    while (true) {
      const std::size_t dollar = text.find('$');
      out.append(text.substr(0, dollar));
      if (dollar == std::string_view::npos) return;
      out.append(get(text[dollar + 1]));
      text.remove_prefix(dollar + 2);
    }
  }

 private:
  std::array<std::string, 128> words_;
};

constexpr std::string_view kMetadata =
    R"({"metadata":{"name":"$n","generateName":"$r-","namespace":"$s","uid":"$u","resourceVersion":"$v","generation":1,)"
    R"("creationTimestamp":"$t","labels":{"app":"$a","app.kubernetes.io/component":"$c",)"
    R"("app.kubernetes.io/instance":"$a-$e","app.kubernetes.io/managed-by":"Helm","app.kubernetes.io/name":"$a",)"
    R"("app.kubernetes.io/version":"$g","helm.sh/chart":"$a-$g","pod-template-hash":"$h"},)"
    R"("annotations":{"checksum/config":"$k",$o"prometheus.io/path":"/metrics","prometheus.io/port":"9102",)"
    R"("prometheus.io/scrape":"true"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"$r",)"
    R"("uid":"$w","controller":true,"blockOwnerDeletion":true}])";

constexpr std::string_view kNetworkStatus =
    R"("k8s.v1.cni.cncf.io/network-status":"[{\n    \"name\": \"k8s-pod-network\",\n    \"ips\": [\n        \"$i\"\n    ],\n)"
    R"(    \"default\": true,\n    \"dns\": {}\n}]",)";

constexpr std::string_view kManagedFields =
    R"(,"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"$t",)"
    R"("fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},)"
    R"("f:prometheus.io/path":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},"f:generateName":{},)"
    R"("f:labels":{".":{},"f:app":{},"f:app.kubernetes.io/component":{},"f:app.kubernetes.io/instance":{},)"
    R"("f:app.kubernetes.io/managed-by":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/version":{},)"
    R"("f:helm.sh/chart":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"$w\"}":{}}},)"
    R"("f:spec":{"f:affinity":{".":{},"f:podAntiAffinity":{".":{},"f:preferredDuringSchedulingIgnoredDuringExecution":{}}},)"
    R"("f:containers":{"k:{\"name\":\"$a\"}":{".":{},"f:args":{},"f:env":{".":{},"k:{\"name\":\"LOG_LEVEL\"}":{".":{},)"
    R"("f:name":{},"f:value":{}},"k:{\"name\":\"POD_IP\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},"f:fieldRef":{}}},)"
    R"("k:{\"name\":\"DATABASE_URL\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},"f:secretKeyRef":{}}},)"
    R"("k:{\"name\":\"REGION\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},)"
    R"("f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},)"
    R"("f:initialDelaySeconds":{},"f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}},"f:name":{},)"
    R"("f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},)"
    R"("f:protocol":{}}},"f:readinessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},)"
    R"("f:scheme":{}},"f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}},"f:resources":{".":{},)"
    R"("f:limits":{".":{},"f:cpu":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},)"
    R"("f:terminationMessagePath":{},"f:terminationMessagePolicy":{},"f:volumeMounts":{".":{},)"
    R"("k:{\"mountPath\":\"/etc/$a\"}":{".":{},"f:mountPath":{},"f:name":{},"f:readOnly":{}}}}},"f:dnsPolicy":{},)"
    R"("f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:serviceAccount":{},)"
    R"("f:serviceAccountName":{},"f:terminationGracePeriodSeconds":{},"f:volumes":{".":{},)"
    R"("k:{\"name\":\"config\"}":{".":{},"f:configMap":{".":{},"f:defaultMode":{},"f:name":{}},"f:name":{}}}}}},)"
    R"({"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"$x","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},)"
    R"("f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:lastProbeTime":{},)"
    R"("f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},)"
    R"("f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},)"
    R"("f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"$i\"}":{".":{},"f:ip":{}}},"f:startTime":{}}},"subresource":"status"}])";

constexpr std::string_view kSpec =
    R"(},"spec":{"volumes":[{"name":"config","configMap":{"name":"$a-config","defaultMode":420}},)"
    R"({"name":"cache","emptyDir":{"sizeLimit":"512Mi"}},{"name":"kube-api-access-$5","projected":{"sources":[)"
    R"({"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt",)"
    R"("items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":)"
    R"({"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],"containers":[)"
    R"({"name":"$a","image":"registry.example.com/$s/$a:$g","args":["--config=/etc/$a/config.yaml","--listen=:8080"],)"
    R"("ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},{"name":"metrics","containerPort":9102,)"
    R"("protocol":"TCP"}],"env":[{"name":"LOG_LEVEL","value":"info"},{"name":"POD_IP","valueFrom":{"fieldRef":)"
    R"({"apiVersion":"v1","fieldPath":"status.podIP"}}},{"name":"DATABASE_URL","valueFrom":{"secretKeyRef":)"
    R"({"name":"$a-database","key":"url"}}},{"name":"REGION","value":"$z"}],"resources":{"limits":{"cpu":"$m",)"
    R"("memory":"512Mi"},"requests":{"cpu":"100m","memory":"256Mi"}},"volumeMounts":[{"name":"config","readOnly":true,)"
    R"("mountPath":"/etc/$a"},{"name":"cache","mountPath":"/var/cache/$a"},{"name":"kube-api-access-$5",)"
    R"("readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"livenessProbe":{"httpGet":)"
    R"({"path":"/healthz","port":8080,"scheme":"HTTP"},"initialDelaySeconds":15,"timeoutSeconds":1,"periodSeconds":20,)"
    R"("successThreshold":1,"failureThreshold":3},"readinessProbe":{"httpGet":{"path":"/ready","port":8080,)"
    R"("scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},)"
    R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent",)"
    R"("securityContext":{"capabilities":{"drop":["ALL"]},"runAsNonRoot":true,"allowPrivilegeEscalation":false}},)"
    R"({"name":"proxy","image":"registry.example.com/mesh/proxy:1.21.0","args":["proxy","sidecar","--domain",)"
    R"("$$(POD_NAMESPACE).svc.cluster.local","--proxyLogLevel=warning"],"ports":[{"name":"admin","containerPort":15090,)"
    R"("protocol":"TCP"}],"env":[{"name":"POD_NAMESPACE","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":)"
    R"("metadata.namespace"}}},{"name":"MESH_ID","value":"cluster.local"},{"name":"NODE_NAME","valueFrom":{"fieldRef":)"
    R"({"apiVersion":"v1","fieldPath":"spec.nodeName"}}}],"resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":)"
    R"({"cpu":"10m","memory":"40Mi"}},"volumeMounts":[{"name":"kube-api-access-$5","readOnly":true,)"
    R"("mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"readinessProbe":{"httpGet":{"path":"/healthz/ready",)"
    R"("port":15021,"scheme":"HTTP"},"initialDelaySeconds":1,"timeoutSeconds":3,"periodSeconds":2,"successThreshold":1,)"
    R"("failureThreshold":30},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
    R"("imagePullPolicy":"IfNotPresent","securityContext":{"runAsUser":1337,"runAsGroup":1337,"runAsNonRoot":true}}],)"
    R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"$a",)"
    R"("serviceAccount":"$a","nodeName":"$d","securityContext":{"fsGroup":1337},"affinity":{"podAntiAffinity":)"
    R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"labelSelector":{"matchLabels":)"
    R"({"app.kubernetes.io/name":"$a"}},"topologyKey":"kubernetes.io/hostname"}}]}},"schedulerName":"default-scheduler",)"
    R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
    R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],)"
    R"("priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"})";

constexpr std::string_view kStatus =
    R"(,"status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"$t"},{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"$x"},)"
    R"({"type":"ContainersReady","status":"True","lastProbeTime":null,"lastTransitionTime":"$x"},{"type":"PodScheduled",)"
    R"("status":"True","lastProbeTime":null,"lastTransitionTime":"$t"}],"hostIP":"$j","hostIPs":[{"ip":"$j"}],)"
    R"("podIP":"$i","podIPs":[{"ip":"$i"}],"startTime":"$t","containerStatuses":[{"name":"$a","state":{"running":)"
    R"({"startedAt":"$y"}},"lastState":{},"ready":true,"restartCount":$b,"image":"registry.example.com/$s/$a:$g",)"
    R"("imageID":"registry.example.com/$s/$a@sha256:$l","containerID":"containerd://$p","started":true},{"name":"proxy",)"
    R"("state":{"running":{"startedAt":"$y"}},"lastState":{},"ready":true,"restartCount":0,)"
    R"("image":"registry.example.com/mesh/proxy:1.21.0","imageID":"registry.example.com/mesh/proxy@sha256:$f",)"
    R"("containerID":"containerd://$q","started":true}],"qosClass":"Burstable"}})";

/// What all pods of a ReplicaSet have in common.
void describe_set(Words& words, std::uint64_t seed, std::size_t set) {
  constexpr std::array<std::string_view, 12> kApps = {"checkout", "frontend",       "payments",  "catalog",
                                                      "search",   "recommendation", "inventory", "shipping",
                                                      "accounts", "reporter",       "gateway",   "notifications"};
  constexpr std::array<std::string_view, 4> kComponents = {"server", "worker", "api", "consumer"};
  constexpr std::array<std::string_view, 4> kRegions = {"eu-west-1", "eu-central-1", "us-east-1", "ap-south-1"};
  constexpr std::array<std::string_view, 4> kLimits = {"500m", "1", "2", "250m"};
  Random random(seed ^ (set * 0x51ed2701ULL + 1));
  const std::string team = "team-" + std::to_string(random.below(60));
  const std::string app = std::string(kApps[random.below(kApps.size())]) + "-" + random.suffix(3);
  const std::string hash = random.hex(9);
  words.set('$', "$");
  words.set('a', app);
  words.set('s', team);
  words.set('h', hash);
  words.set('r', app + "-" + hash);
  words.set('e', team.substr(5));
  words.set('c', std::string(kComponents[random.below(kComponents.size())]));
  words.set('g', std::to_string(1 + random.below(5)) + "." + std::to_string(random.below(30)) + "." +
                     std::to_string(random.below(10)));
  words.set('k', random.hex(64));
  words.set('w', random.uuid());
  words.set('z', std::string(kRegions[random.below(kRegions.size())]));
  words.set('m', std::string(kLimits[random.below(kLimits.size())]));
  words.set('l', random.hex(64));
  words.set('f', Random(seed).hex(64));
}

void describe_pod(Words& words, std::uint64_t seed, std::size_t index) {
  Random random(seed + 0x1234567ULL * (index + 1));
  words.set('n', words.get('r') + "-" + random.suffix(5));
  words.set('u', random.uuid());
  words.set('v', std::to_string(100'000'000 + random.below(800'000'000)));
  words.set('t', time_of(random));
  words.set('x', time_of(random));
  words.set('y', time_of(random));
  words.set('5', random.suffix(5));
  const std::size_t node = random.below(400);
  words.set('d', "ip-10-0-" + std::to_string(node / 200) + "-" + std::to_string(node % 200) + ".compute.internal");
  words.set('j', "10.0." + std::to_string(node / 200) + "." + std::to_string(node % 200));
  words.set('i', "10.244." + std::to_string(random.below(256)) + "." + std::to_string(random.below(256)));
  words.set('b', std::to_string(random.below(4) == 0 ? random.below(20) : 0));
  words.set('p', random.hex(64));
  words.set('q', random.hex(64));
  std::string network;
  if (random.below(5) == 0) words.fill(network, kNetworkStatus);
  words.set('o', std::move(network));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Replaces the texts and numbers of a pod, not its keys, by noise of the same length. Texts that are equal within the
/// pod stay equal: a document has them once.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : seed_(seed) {}

  std::string in_place_of(std::string pod) const {
    for (std::size_t at = 0; at < pod.size();) {
      if (pod[at] == '"') {
        const std::size_t end = end_of_text(pod, at);
        const bool is_key = end + 1 < pod.size() && pod[end + 1] == ':';
        if (!is_key) spoil_text(pod, at + 1, end);
        at = end + 1;
      } else if (is_digit(pod[at])) {
        at = spoil_number(pod, at);
      } else {
        ++at;
      }
    }
    return pod;
  }

 private:
  static std::size_t end_of_text(const std::string& pod, std::size_t begin) {
    std::size_t at = begin + 1;
    while (pod[at] != '"') at += pod[at] == '\\' ? 2 : 1;
    return at;
  }
  Random random_of(std::string_view value) const {
    std::uint64_t hash = seed_;
    for (const char c : value) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return Random(hash);
  }
  void spoil_text(std::string& pod, std::size_t begin, std::size_t end) const {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    Random random = random_of(std::string_view(pod).substr(begin, end - begin));
    for (std::size_t at = begin; at < end; ++at) {
      if (pod[at] == '\\') {
        ++at;  // what is escaped stays so
      } else {
        pod[at] = kLetters[random.below(kLetters.size())];
      }
    }
  }
  std::size_t spoil_number(std::string& pod, std::size_t begin) const {
    std::size_t end = begin;
    while (is_digit(pod[end])) ++end;
    Random random = random_of(std::string_view(pod).substr(begin, end - begin));
    for (std::size_t at = begin; at < end; ++at) pod[at] = static_cast<char>('1' + random.below(9));
    return end;
  }

  const std::uint64_t seed_;
};

void append_pod(std::string& out, const PodCorpus& corpus, std::size_t index) {
  Words words;
  describe_set(words, corpus.seed, index / corpus.pods_per_replica_set);
  describe_pod(words, corpus.seed, index);
  words.fill(out, kMetadata);
  if (corpus.managed_fields) words.fill(out, kManagedFields);
  words.fill(out, kSpec);
  words.fill(out, kStatus);
}

}  // namespace

std::string PodCorpus::pod(std::size_t index) const {
  std::string out;
  append_pod(out, *this, index);
  return unique ? Noise(Random(seed + index).next()).in_place_of(std::move(out)) : out;
}

std::string PodCorpus::list() const {
  std::vector<std::size_t> order(pods);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shuffled) {
    Random random(seed);
    for (std::size_t i = pods; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  std::string out = unique ? R"({"kind":"UniquePodList",)" : R"({"kind":"PodList",)";
  out += R"("apiVersion":"v1","metadata":{"resourceVersion":"987654321"},"items":[)";
  out.reserve(pods * (managed_fields ? 10'000 : 7'000));
  for (std::size_t i = 0; i < pods; ++i) {
    if (i != 0) out += ',';
    out += pod(order[i]);
  }
  out += "]}\n";
  return out;
}

}  // namespace kubexx::bench
