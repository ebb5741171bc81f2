#include "reflector/watch_list_memory.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace kubexx::reflector {
namespace {

constexpr std::size_t kMaxRemembered = 4096;

struct Memory {
  std::mutex mutex;
  std::unordered_map<std::string, TimePoint> until;  // guarded by mutex
};

Memory& memory() {
  static Memory instance;
  return instance;
}

}  // namespace

bool refusal_remembered(const std::string& identity, TimePoint now) {
  if (identity.empty()) return false;
  auto& m = memory();
  const std::lock_guard lock(m.mutex);
  const auto found = m.until.find(identity);
  if (found == m.until.end()) return false;
  if (now < found->second) return true;
  m.until.erase(found);
  return false;
}

void remember_refusal(const std::string& identity, TimePoint until) {
  if (identity.empty()) return;
  auto& m = memory();
  const std::lock_guard lock(m.mutex);
  if (m.until.size() >= kMaxRemembered && !m.until.contains(identity)) {
    m.until.erase(std::min_element(m.until.begin(), m.until.end(),
                                   [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  m.until[identity] = until;
}

void forget_watch_list_refusals() {
  auto& m = memory();
  const std::lock_guard lock(m.mutex);
  m.until.clear();
}

}  // namespace kubexx::reflector
