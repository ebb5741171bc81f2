#include "kubexx/informer/cache_mutation_detector.hpp"

#include <vector>

#include "kubexx/base/error_sink.hpp"
#include "meta/internal/packed_copy.hpp"

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
  const bool changed = copy.object && !meta::detail::equals_packed_copy(copy.object, copy.bytes);
  copy = Copy{object, meta::detail::packed_copy(object)};
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
  std::erase_if(copies_, [&changed](const auto& entry) {
    const auto& [key, copy] = entry;
    if (meta::detail::equals_packed_copy(copy.object, copy.bytes)) return false;
    changed.push_back(key);
    return true;  // told once: what was written over can't be copied again, a walk through it may lead anywhere
  });
  for (const auto& key : changed) tell(key);
}

}  // namespace kubexx::informer
