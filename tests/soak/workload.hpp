#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/gvk.hpp"
#include "soak/journal.hpp"

namespace kubexx::soak {

inline const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline const meta::GroupVersionResource kPods{"", "v1", "pods"};
inline const meta::GroupVersionResource kNodes{"", "v1", "nodes"};
inline const meta::GroupVersionResource kGadgets{"soak.example", "v1", "gadgets"};

/// The namespaces of what is written; the server has them from the start.
inline constexpr const char* kNamespaces[] = {"default", "kube-public", "kube-system"};
/// On which of these a pod is says its spec.nodeName.
inline constexpr const char* kPodNodes[] = {"n-0", "n-1"};

/// Writes ConfigMaps, pods, nodes and objects of a custom kind into the server, past its faults, and remembers what it
/// wrote: a state that somebody is told of must be one of these. Each has the number of its write.
///
/// Threads: safe from any thread.
class Workload {
 public:
  /// Installs the custom kind and writes a first few of everything.
  Workload(apiserver::Core& core, Journal& journal, std::uint64_t seed);

  /// Creates, changes or deletes something.
  void step();
  std::uint64_t writes() const;

  /// Whether only step() writes this resource.
  static bool owns(const meta::GroupVersionResource& resource);
  /// What is wrong with a state that a handler was told of: no such version was ever written, or with other contents.
  std::optional<std::string> unheard_of(const std::string& key, const meta::Object& object) const;

 private:
  struct State {
    std::string version = {};
    std::string write = {};
  };
  void put(const meta::GroupVersionResource& resource, const char* kind, const meta::ObjectKey& key);

  apiserver::Core& core_;
  Journal& journal_;
  Random random_;
  mutable std::mutex mutex_;                         // held over a write: nobody is told of it before it is in the list
  std::map<std::string, std::deque<State>> states_;  // guarded by mutex_; the last of each key
  std::uint64_t writes_ = 0;                         // guarded by mutex_
};

/// "configmaps default/c-1"
std::string journal_key(const meta::GroupVersionResource& resource, const std::string& key);

}  // namespace kubexx::soak
