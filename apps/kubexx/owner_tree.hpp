#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kubexx/client/discovery.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::app {

/// An object and what it owns, directly and through others, as handlers report it.
///
/// Threads: the handlers are called by informers, lines() by anybody.
class OwnerTree {
 public:
  struct Line {
    std::string text;
    std::string_view style;  ///< of what changed a moment ago
  };
  OwnerTree(client::ApiResource root, meta::ObjectKey key, std::function<void()> changed);

  /// The fields that lines() reads.
  static std::vector<std::string> fields();
  std::shared_ptr<informer::ResourceEventHandler> handler(const client::ApiResource& resource);
  /// A table whose first column is the tree.
  std::vector<Line> lines(TimePoint now) const;

 private:
  class Handler;
  struct Node {
    const client::ApiResource* resource = nullptr;
    meta::Object object;
    TimePoint since{};
  };
  void put(const client::ApiResource& resource, const meta::Object& object, bool initial);
  void remove(const std::string& uid);

  client::ApiResource root_;
  meta::ObjectKey key_;
  std::function<void()> changed_;
  mutable std::mutex mutex_;
  std::map<std::string, Node> nodes_;  // guarded by mutex_; by uid
};

}  // namespace kubexx::app
