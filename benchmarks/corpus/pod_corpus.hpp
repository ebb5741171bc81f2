#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kubexx::bench {

/// A made-up cluster of pods, the same bytes for the same options on every machine: two containers with probes and
/// environment, volumes, eight labels, a full status; about 6 KB of compact JSON a pod, 9 KB with managedFields.
struct PodCorpus {
  std::size_t pods = 20'000;
  std::size_t pods_per_replica_set = 50;
  bool shuffled = false;  ///< pods of one ReplicaSet are not neighbors
  bool managed_fields = true;
  std::uint64_t seed = 20'240'501;
  bool unique = false;  ///< every value, not the field names, is noise of the same length: pods share nothing

  /// 50 pods a ReplicaSet, in order, or 4 in random order: what sharing between objects likes and what it does not.
  static PodCorpus large_sets(bool managed_fields) { return {20'000, 50, false, managed_fields, 20'240'501}; }
  static PodCorpus small_sets(bool managed_fields) { return {20'000, 4, true, managed_fields, 20'240'501}; }

  /// A kind of its own: what a process learns of pods that share must not help.
  static PodCorpus unique_pods() { return {.managed_fields = false, .unique = true}; }

  /// One item, as the server writes it inside a list (without apiVersion and kind).
  std::string pod(std::size_t index) const;
  /// {"kind":"PodList",...,"items":[...]}; UniquePodList of unique ones.
  std::string list() const;
};

}  // namespace kubexx::bench
