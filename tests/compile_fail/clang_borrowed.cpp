// case 1: dangling|will be destroyed
// case 2: dangling|will be destroyed
// case 3: dangling|will be destroyed
// case 4: dangling|will be destroyed
// case 5: dangling|will be destroyed
// case 6: dangling|will be destroyed
// case 7: dangling|will be destroyed
// case 8: dangling|will be destroyed
// case 9: dangling|will be destroyed
#include "kubexx/api/core/v1/views.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/store/lister.hpp"

using kubexx::api::core::v1::Pod;
using kubexx::meta::Object;

Object make();
Pod make_pod();
kubexx::Result<Object> get();
kubexx::informer::Deleted<Pod> deleted();

std::size_t on_temporaries(const kubexx::store::Lister<Pod>& pods) {
  // One expression on a temporary is fine.
  return make().name().size() + make()["spec"]["nodeName"].string().size() + get()->labels().size() +
         pods.get("ns/a")->name().size() + pods.snapshot().resource_version().size() + deleted().key().size();
}

std::size_t kept(const kubexx::store::Lister<Pod>& pods) {
  const auto object = make();
  const auto got = get();
  const auto spec = object["spec"]["containers"];
  const Object copy = *get();
  const Object moved = get().value();
#if CASE == 1
  const std::string_view name = make().name();
#elif CASE == 2
  const auto name = make()["spec"];
#elif CASE == 3
  const auto name = make_pod().labels();
#elif CASE == 4
  const std::string_view name = get()->name();
#elif CASE == 5
  const auto& name = get().value();
  return name.name().size();
#elif CASE == 6
  const std::string_view name = pods.get("ns/a")->name();
#elif CASE == 7
  const std::string& name = pods.snapshot().resource_version();
#elif CASE == 8
  const std::string& name = deleted().key();
#elif CASE == 9
  const auto name = object.edit().root();
#else
  const std::string_view name = got->name();
#endif
  return name.size() + spec.size() + copy.name().size() + moved.name().size();
}
