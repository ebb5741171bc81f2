// case 1: no member named|has no member
// case 2: could not convert|no viable conversion|conversion from
// case 3: no member named|has no member
#include "kubexx/api/apps/v1.hpp"
#include "kubexx/api/core/v1.hpp"

namespace corev1 = kubexx::api::core::v1;
namespace appsv1 = kubexx::api::apps::v1;

void cached(const corev1::Pod& pod) {
#if CASE == 1  // a cached object has no setters
  pod.spec().set_node_name("n");
#endif
  auto draft = pod.edit();
  draft.spec().set_node_name("n");
}

corev1::Pod other(const appsv1::Deployment& deployment, const corev1::Pod& pod) {
#if CASE == 2  // one type is not taken for another
  corev1::Pod wrong = deployment;
  return wrong;
#endif
#if CASE == 3
  return deployment.spec().node_name().empty() ? pod : pod;
#endif
  (void)deployment;
  return pod;
}
