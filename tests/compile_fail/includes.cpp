// case 1: factory.core\(\) needs #include <kubexx/clientset/core.hpp>
// case 2: apps\(\).v1\(\) needs #include <kubexx/clientset/apps/v1.hpp>
// case 3: apps\(\).v1\(\) needs #include <kubexx/clientset/apps/v1.hpp>
// case 4: discards qualifiers|not marked const
// case 5: the function takes a const T&
#include "kubexx/api/batch/v1.hpp"
#include "kubexx/clientset/apps/group.hpp"
#include "kubexx/clientset/batch/v1/informers.hpp"

using kubexx::api::batch::v1::Job;
using kubexx::api::batch::v1::JobDraft;

void chains(kubexx::informer::SharedInformerFactory& factory, const kubexx::clientset::AppsClient& apps) {
#if CASE == 1
  (void)factory.core();
#elif CASE == 2
  (void)factory.apps().v1();
#elif CASE == 3
  (void)apps.v1();
#endif
  (void)factory.apps();
  (void)factory.batch().v1().jobs();
}

void drafts(JobDraft& draft, const JobDraft& done) {
#if CASE == 4  // what is const is read
  done.spec().set_parallelism(2);
#endif
  draft.spec().set_parallelism(done.spec().parallelism());
}

kubexx::informer::InformerOptions options() {
  kubexx::informer::InformerOptions of_jobs;
#if CASE == 5
  of_jobs.admit = kubexx::informer::typed<Job>([](int) { return true; });
#endif
  of_jobs.admit = kubexx::informer::typed<Job>([](const Job& job) { return !job.name().empty(); });
  return of_jobs;
}
