#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/informer/controller.hpp"

namespace kubexx::informer {

/// From the reflector to the process function: takes objects in, names them, queues them, and has them processed at the
/// end of the task of the strand that brought them.
///
/// Threads: the strand's, but for what is const.
class Pipe final : public reflector::DeltaSink, public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(Config config, Strand strand);

  Result<void> add(meta::Object object) override;
  Result<void> update(meta::Object object) override;
  Result<void> remove(meta::Object object) override;
  Result<void> refuse(meta::Object object) override;
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> resync() override;
  void bookmark(std::string_view resource_version) override;

  void stop() { stopped_ = true; }
  bool has_synced() const noexcept { return synced_; }
  std::size_t depth() const noexcept { return depth_; }

 private:
  template <class Change>
  Result<void> change(Change make);
  template <class Change>
  Result<void> enter(const delta::Intake& intake, meta::Object object, Change make);
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version, bool repairs);
  void drain();

  Config config_;
  const delta::Intake intake_;
  const delta::Intake untransformed_;  // for what nobody wants
  const Strand strand_;
  delta::PlainQueue queue_;
  delta::Process process_;
  bool due_ = false;  // the queue is looked at when the task ends
  bool stopped_ = false;
  std::atomic<bool> synced_{false};
  std::atomic<std::size_t> depth_{0};
};

}  // namespace kubexx::informer
