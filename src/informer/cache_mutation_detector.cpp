#include "kubexx/informer/cache_mutation_detector.hpp"

#include <vector>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::informer {

CacheMutationDetector::CacheMutationDetector(Strand strand, std::function<void(const std::string& key)> found)
    : strand_(std::move(strand)), found_(std::move(found)) {}

void CacheMutationDetector::start() {
  arm();
}

void CacheMutationDetector::stop() {
  stopped_ = true;
  timer_.cancel();
  copies_.clear();
}

void CacheMutationDetector::arm() {
  timer_ = strand_.post_after(std::chrono::seconds(1), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->stopped_) return;
    self->compare();
    self->arm();
  });
}

void CacheMutationDetector::remember(const std::string& key, const meta::Object& object) {
  if (stopped_) return;
  auto& copy = copies_[key];
  const bool changed = copy.object && copy.object.raw_bytes() != copy.bytes;
  copy = Copy{object, std::string(object.raw_bytes())};
  if (changed) tell(key);  // the version that goes now
}

void CacheMutationDetector::forget(const std::string& key) {
  copies_.erase(key);
}

void CacheMutationDetector::tell(const std::string& key) const {
  call_isolated("mutation detector", [&] { found_(key); });
}

void CacheMutationDetector::compare() {
  std::vector<std::string> changed;
  for (auto& [key, copy] : copies_) {
    if (copy.object.raw_bytes() == copy.bytes) continue;
    changed.push_back(key);
    copy.bytes = std::string(copy.object.raw_bytes());  // once each
  }
  for (const auto& key : changed) tell(key);
}

}  // namespace kubexx::informer
