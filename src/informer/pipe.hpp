#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/delta/delta.hpp"
#include "kubexx/informer/controller.hpp"

namespace kubexx::informer {

/// From the reflectors to the process function: takes objects in, names them, queues them, and has them processed at
/// the end of the task of the strand that brought them.
///
/// Threads: the strand's, but for what is const.
class Pipe final : public std::enable_shared_from_this<Pipe> {
 public:
  class Part;

  Pipe(Config config, Strand strand);

  /// Where one reflector's objects enter: those of a namespace, or all ("") when it is the only part. Its first list is
  /// awaited.
  std::shared_ptr<Part> add_part(std::string namespace_);
  /// Nothing more comes of a part. What it brought stays, until another part or keep_only() says otherwise.
  void drop(Part& part);
  /// What is in other namespaces is gone.
  void keep_only(std::vector<std::string> namespaces);
  /// What a part had in an earlier run. Its first list is awaited nevertheless, or that the server confirms this.
  void restore(Part& part, const RestoredPart& from);

  void stop() { stopped_ = true; }
  /// Once everything of the parts there were at that time was processed.
  bool has_synced() const noexcept { return synced_; }
  std::size_t depth() const noexcept { return depth_; }
  bool transforms() const noexcept { return static_cast<bool>(config_.transform); }

  /// A change was lost for want of memory; called on the strand. Set before the first part is added.
  std::function<void()> on_loss;

 private:
  template <class Change>
  Result<void> change(Change make);
  template <class Change>
  Result<void> enter(const delta::Intake& intake, meta::Object object, Change make);
  Result<void> replace(Part& part, std::vector<meta::Object> objects, std::string resource_version, bool repairs);
  void no_longer_awaited(Part& part);
  delta::Coverage coverage_of(const Part& part) const;
  bool is_whole() const;
  void drain();
  void drain_some();
  void drain_later();
  Result<void> process(delta::Deltas& deltas, bool initial);
  Result<void> process_or_put_back(delta::Deltas& deltas, bool initial);
  bool tell(const QueueProgress& progress);

  Config config_;
  const delta::Intake intake_;
  const delta::Intake untransformed_;  // for what nobody wants
  const Strand strand_;
  delta::PlainQueue queue_;
  std::vector<Part*> parts_;
  std::size_t awaited_ = 0;  // parts without a list
  std::int64_t mark_ = 0;    // of the last list that was awaited
  bool due_ = false;         // the queue is looked at when the task ends
  bool stopped_ = false;
  bool lost_ = false;  // a change was taken and not made
  std::atomic<bool> synced_{false};
  std::atomic<std::size_t> depth_{0};
};

/// What one reflector keeps of the cache.
class Pipe::Part final : public reflector::DeltaSink {
 public:
  Part(std::shared_ptr<Pipe> pipe, std::string namespace_);

  Result<void> add(meta::Object object) override;
  Result<void> update(meta::Object object) override;
  Result<void> remove(meta::Object object) override;
  Result<void> refuse(meta::Object object) override;
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> resync() override;
  void confirm() override;
  void bookmark(std::string_view resource_version) override;

  /// It was told to list because another part found the server restored: it need not say so itself. Until its next
  /// list.
  bool knows_of_rollback = false;

 private:
  friend class Pipe;
  bool has(const meta::Object& object) const noexcept {
    return namespace_.empty() || object.namespace_() == namespace_;
  }
  Result<void> check(const meta::Object& object) const;

  const std::string namespace_;
  std::shared_ptr<Pipe> pipe_;  // null: dropped
  bool awaited_ = true;         // its first list
};

}  // namespace kubexx::informer
