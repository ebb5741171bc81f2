// case 1: on_add takes
// case 2: on_update takes
// case 3: on_delete takes
// case 4: on_update takes
// case 5: nodiscard|ignoring return
#include "kubexx/api/apps/v1/views.hpp"
#include "kubexx/api/core/v1/views.hpp"
#include "kubexx/informer/informer.hpp"
#include "kubexx/informer/sync.hpp"

using namespace kubexx::informer;
using kubexx::api::apps::v1::Deployment;
using kubexx::api::core::v1::Pod;

void handlers(const Informer<Pod>& pods) {
  ResourceEventHandlerFuncs<Pod> functions;
#if CASE == 1  // of another type
  functions.on_add = [](const Deployment&) {};
#elif CASE == 2  // more than there is
  functions.on_update = [](const Pod&, const Pod&, const Pod&) {};
#elif CASE == 3  // what is gone is no Pod
  functions.on_delete = [](const Pod&) {};
#elif CASE == 4  // nothing is changed here
  functions.on_update = [](Pod&) {};
#endif
  functions.on_add = [](const Pod&, bool) {};
  functions.on_update = [](const Pod&) {};
  functions.on_delete = [](const auto& gone) { (void)gone.key(); };
  const auto registration = pods.add_event_handler(functions);
  (void)registration;
}

bool wait(const Informer<Pod>& pods) {
#if CASE == 5
  wait_for_cache_sync({}, {pods});
#endif
  return wait_for_cache_sync({}, {pods}).synced();
}
