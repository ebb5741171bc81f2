#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/change_log.hpp"
#include "inspect/row_index.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::inspect {

/// One informer as the page knows it.
class Entry {
 public:
  static constexpr std::size_t kSeconds = 120;  ///< length of the history

  Entry(std::string id, std::shared_ptr<informer::SharedIndexInformer> informer, const Clock& clock)
      : id_(std::move(id)), informer_(std::move(informer)), clock_(clock), rows_(columns_of(informer_->resource())) {}

  const std::string& id() const noexcept { return id_; }  ///< its name, with a number where several share it
  informer::SharedIndexInformer& informer() const noexcept { return *informer_; }
  std::uint64_t version() const { return informer_->indexer()->snapshot().version(); }

  void sample();                               ///< once a second: how many events there were
  std::vector<std::uint64_t> history() const;  ///< events in each of the last seconds, oldest first

  RowIndex& rows() noexcept { return rows_; }
  /// The last updates; they are recorded from the first call on.
  std::shared_ptr<ChangeLog> changes();

 private:
  const std::string id_;
  const std::shared_ptr<informer::SharedIndexInformer> informer_;
  const Clock& clock_;
  RowIndex rows_;
  mutable std::mutex mutex_;
  std::deque<std::uint64_t> history_;    // guarded by mutex_
  std::uint64_t events_ = 0;             // guarded by mutex_; at the last sample
  bool sampled_ = false;                 // guarded by mutex_
  std::shared_ptr<ChangeLog> changes_;   // guarded by mutex_
  informer::Registration registration_;  // guarded by mutex_; last: its end waits for a call of changes_
};

/// The informers of every source, found anew at each look: factories make and drop them at any time. Thread-safe.
class Catalog {
 public:
  using Source = std::function<std::vector<std::shared_ptr<informer::SharedIndexInformer>>()>;
  explicit Catalog(const Clock& clock) : clock_(clock) {}

  void add(Source source);
  std::vector<std::shared_ptr<Entry>> entries();  ///< in the order of their names
  std::shared_ptr<Entry> find(std::string_view id);
  void clear();

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::vector<Source> sources_;                  // guarded by mutex_
  std::vector<std::shared_ptr<Entry>> entries_;  // guarded by mutex_
};

}  // namespace kubexx::inspect
