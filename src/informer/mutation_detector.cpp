#include "informer/mutation_detector.hpp"

#include <vector>

namespace kubexx::informer {

MutationDetector::MutationDetector(Strand strand, std::function<void(const std::string& key)> found)
    : strand_(std::move(strand)), found_(std::move(found)) {}

void MutationDetector::start() {
  arm();
}

void MutationDetector::stop() {
  stopped_ = true;
  timer_.cancel();
  copies_.clear();
}

void MutationDetector::arm() {
  timer_ = strand_.post_after(std::chrono::seconds(1), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->stopped_) return;
    self->compare();
    self->arm();
  });
}

void MutationDetector::remember(const std::string& key, const meta::Object& object) {
  if (stopped_) return;
  copies_[key] = Copy{object, std::string(object.raw_bytes())};
}

void MutationDetector::forget(const std::string& key) {
  copies_.erase(key);
}

void MutationDetector::compare() {
  std::vector<std::string> changed;
  for (auto& [key, copy] : copies_) {
    if (copy.object.raw_bytes() == copy.bytes) continue;
    changed.push_back(key);
    copy.bytes = std::string(copy.object.raw_bytes());  // once each
  }
  for (const auto& key : changed) found_(key);
}

}  // namespace kubexx::informer
