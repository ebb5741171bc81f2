#include "inspect/catalog.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kubexx::inspect {

void Entry::sample() {
  const auto totals = informer_->status().events;
  const auto events = totals.adds + totals.updates + totals.deletes;
  const std::lock_guard lock(mutex_);
  if (sampled_) history_.push_back(events - events_);
  sampled_ = true;
  events_ = events;
  if (history_.size() > kSeconds) history_.pop_front();
}

std::vector<std::uint64_t> Entry::history() const {
  const std::lock_guard lock(mutex_);
  return {history_.begin(), history_.end()};
}

std::shared_ptr<ChangeLog> Entry::changes() {
  const std::lock_guard lock(mutex_);
  if (!changes_) {
    changes_ = std::make_shared<ChangeLog>(clock_);
    informer::HandlerOptions options;
    options.resync_period = Duration::zero();
    options.name = "inspector";
    try {
      registration_ = informer_->add_event_handler(changes_, std::move(options));
    } catch (const std::logic_error&) {
      // The informer has stopped: nothing will change any more.
    }
  }
  return changes_;
}

void Catalog::add(Source source) {
  const std::lock_guard lock(mutex_);
  sources_.push_back(std::move(source));
}

std::vector<std::shared_ptr<Entry>> Catalog::entries() {
  std::vector<Source> sources;
  {
    const std::lock_guard lock(mutex_);
    sources = sources_;
  }
  std::vector<std::shared_ptr<informer::SharedIndexInformer>> found;
  for (const auto& source : sources) {
    for (auto& informer : source()) {
      if (std::ranges::find(found, informer) == found.end()) found.push_back(std::move(informer));
    }
  }

  std::vector<std::shared_ptr<Entry>> gone;  // their end waits for handlers: not under the lock
  const std::lock_guard lock(mutex_);
  const auto has = [&](const Entry& entry) {
    return std::ranges::any_of(found, [&](const auto& informer) { return informer.get() == &entry.informer(); });
  };
  const auto kept = std::stable_partition(entries_.begin(), entries_.end(), [&](const auto& e) { return has(*e); });
  gone.assign(std::make_move_iterator(kept), std::make_move_iterator(entries_.end()));
  entries_.erase(kept, entries_.end());
  const auto known = [&](std::string_view id) {
    return std::ranges::any_of(entries_, [&](const auto& entry) { return entry->id() == id; });
  };
  for (const auto& informer : found) {
    if (std::ranges::any_of(entries_, [&](const auto& e) { return &e->informer() == informer.get(); })) continue;
    auto id = informer->name();
    for (int number = 2; known(id); ++number) id = informer->name() + "~" + std::to_string(number);
    entries_.push_back(std::make_shared<Entry>(std::move(id), informer, clock_));
  }
  std::ranges::sort(entries_, {}, [](const auto& entry) -> const std::string& { return entry->id(); });
  return entries_;
}

std::shared_ptr<Entry> Catalog::find(std::string_view id) {
  for (auto& entry : entries()) {
    if (entry->id() == id) return entry;
  }
  return nullptr;
}

void Catalog::clear() {
  std::vector<std::shared_ptr<Entry>> gone;
  const std::lock_guard lock(mutex_);
  sources_.clear();
  gone.swap(entries_);
}

}  // namespace kubexx::inspect
