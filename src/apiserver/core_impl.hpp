#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"
#include "kubexx/apiserver/core.hpp"

namespace kubexx::apiserver {

/// The state and its lock as one: it is held as long as this lives.
class [[nodiscard]] Locked {
 public:
  Locked(std::mutex& mutex, Cluster& cluster) : lock_(mutex), cluster_(cluster) {}
  Cluster& operator*() const noexcept { return cluster_; }
  Cluster* operator->() const noexcept { return &cluster_; }

 private:
  const std::lock_guard<std::mutex> lock_;
  Cluster& cluster_;
};

/// The way of a request from the exchange to the verbs and back, and the one lock around the state (see Cluster).
class KUBEXX_HIDDEN Core::Impl : public std::enable_shared_from_this<Core::Impl> {
 public:
  explicit Impl(Options options)
      : environment(std::move(options)),
        cluster_(environment, [this](Cluster::Action action) { return guarded(std::move(action)); }) {}
  Locked lock() { return Locked(mutex_, cluster_); }
  void close();  ///< aborts the watches; nothing runs later
  void handle(Request request, std::shared_ptr<ResponseWriter> writer);

  Environment environment;

 private:
  Cluster::Action guarded(Cluster::Action action);
  void proceed(const std::shared_ptr<Call>& call);
  Result<Answer> serve(Call& call);
  Result<Answer> serve_resource(Call& call);
  Result<Answer> serve_path(Call& call);

  std::mutex mutex_;
  Cluster cluster_;
};

}  // namespace kubexx::apiserver
