// case 1: possibly dangling reference
// case 2: possibly dangling reference
// case 3: possibly dangling reference
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/store/snapshot.hpp"

kubexx::store::Snapshot take();
kubexx::Result<kubexx::meta::Object> get();
kubexx::informer::Deleted<kubexx::meta::Object> deleted();

std::size_t kept() {
  const auto snapshot = take();
#if CASE == 1
  const std::string& text = take().resource_version();
#elif CASE == 2
  const std::string& text = deleted().key();
#elif CASE == 3
  const auto& text = get().error().message();
#else
  const std::string& text = snapshot.resource_version();
#endif
  return text.size();
}
