// case 1: dangling|will be destroyed
// case 2: dangling|will be destroyed
#include "kubexx/api/core/v1/views.hpp"

namespace corev1 = kubexx::api::core::v1;

corev1::Pod make();

std::size_t chains() {
  // One expression on a temporary is fine.
  return make().spec().containers().size() + make().metadata().name().size();
}

std::size_t kept() {
  const auto pod = make();
  const auto spec = pod.spec();
  const std::string_view node = pod.spec().node_name();
#if CASE == 1
  const auto view = make().spec();
  return view.containers().size();
#elif CASE == 2
  const corev1::PodStatus status = make().status();
  return status.phase().size();
#else
  return spec.containers().size() + node.size();
#endif
}
