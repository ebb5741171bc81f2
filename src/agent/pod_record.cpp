#include "agent/pod_record.hpp"

#include "kubexx/agent/identity.hpp"
#include "kubexx/meta/owner_reference.hpp"

namespace kubexx::agent {
namespace detail {
namespace {

constexpr std::size_t kMostContainers = 1000;
constexpr std::size_t kMostAddresses = 16;

void add_container(PodRecord& record, meta::Value id, meta::Value name, bool ended) {
  const auto bare = bare_container_id(id.string());
  if (bare.empty() || record.containers.size() >= kMostContainers) return;
  for (const auto& other : record.containers) {
    if (other.id == bare) return;
  }
  record.containers.push_back({bare, name.string(), ended});
}

void read_containers(PodRecord& record) {
  const auto status = record.pod["status"];
  const auto lists = {"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"};
  for (const auto* list : lists) {
    for (const auto each : status[list].items()) add_container(record, each["containerID"], each["name"], false);
  }
  for (const auto* list : lists) {
    for (const auto each : status[list].items())
      add_container(record, each["lastState"]["terminated"]["containerID"], each["name"], true);
  }
}

void add_address(PodRecord& record, std::string_view text) {
  const auto key = parse_address(text);
  if (!key || record.addresses.size() >= kMostAddresses) return;
  if (std::ranges::find(record.addresses, *key) == record.addresses.end()) record.addresses.push_back(*key);
}

}  // namespace

PodRecord read_pod(meta::Object pod) {
  PodRecord record;
  record.pod = std::move(pod);
  const auto status = record.pod["status"];
  read_containers(record);
  add_address(record, status["podIP"].string());
  for (const auto each : status["podIPs"].items()) add_address(record, each["ip"].string());
  record.host_network = record.pod["spec"]["hostNetwork"].bool_or(false);
  const auto phase = status["phase"].string();
  record.ending = phase == "Succeeded" || phase == "Failed" || !record.pod.deletion_timestamp().empty();
  if (const auto mirrored = record.pod.annotations()[kMirrorAnnotation].string(); PodUid::parse(mirrored)) {
    record.static_uid = mirrored;
  }
  const auto owner = meta::controller_of(record.pod);
  record.controller = {owner["apiVersion"].string(), owner["kind"].string(), owner["name"].string(),
                       owner["uid"].string()};
  return record;
}

}  // namespace detail

const meta::Object& Attribution::pod() const noexcept {
  static const meta::Object kNone;
  return record_ ? record_->pod : kNone;
}

std::string_view Attribution::container() const noexcept {
  return container_ < 0 ? std::string_view() : record_->containers[static_cast<std::size_t>(container_)].name;
}

Owner Attribution::controller() const noexcept {
  return record_ ? record_->controller : Owner();
}

Owner Attribution::owner() const noexcept {
  if (!record_ || !record_->above) return controller();
  const auto& above = *record_->above;
  return {above.api_version, above.kind, above.name, above.uid};
}

bool Attribution::owner_known() const noexcept {
  return record_ && record_->owner_known;
}

}  // namespace kubexx::agent
