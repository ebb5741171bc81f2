// sample_controller [--kubeconfig FILE] [--master URL]: runs until SIGINT or SIGTERM. The definition of Foo
// (foo_crd.yaml) is installed before, by whoever may.
#include "flags.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "sample.hpp"

using kubexx::clientset::Clientset;
using kubexx::informer::SharedInformerFactory;

int main(int argc, char** argv) {
  // [begin flags]
  const auto stop = kubexx::stop_on_signals();
  kubexx::set_log_sink(kubexx::stderr_log_sink());
  const auto config = sample::config_from_flags(argc, argv);
  if (!config) return 2;
  // [end flags]
  // [begin factories]
  const auto kube = Clientset::create(*config);
  if (!kube) return std::cerr << kube.error() << '\n', 2;
  const samplecontroller::Clientset samples(kube->client());  // both over the same connections

  const sample::Options options;
  SharedInformerFactory kube_factory(kube->client(), sample::factory_options(options));
  SharedInformerFactory sample_factory(kube->client(), sample::factory_options(options));
  sample::Controller controller(*kube, samples, kube_factory.apps().v1().deployments(),
                                samplecontroller::Informers(sample_factory).samplecontroller().v1alpha1().foos(),
                                options);
  // [end factories]
  // [begin start]
  kube_factory.start(stop);
  sample_factory.start(stop);
  const auto ended = controller.run(stop);
  if (ended || ended.error().is_canceled()) return 0;
  std::cerr << ended.error() << '\n';
  return 1;
  // [end start]
}
