#pragma once

#include "sample.hpp"

namespace kubexx {

/// What main() of the sample controller does with a client.
inline Result<void> sample_run_long(const rest::Client& client, std::stop_token stop, const sample::Options& options) {
  informer::SharedInformerFactory kube(client, sample::factory_options(options));
  informer::SharedInformerFactory samples(client, sample::factory_options(options));
  sample::Controller controller(clientset::Clientset{client}, samplecontroller::Clientset{client},
                                kube.apps().v1().deployments(),
                                samplecontroller::Informers(samples).samplecontroller().v1alpha1().foos(), options);
  kube.start(stop);
  samples.start(stop);
  return controller.run(stop);
}

}  // namespace kubexx
