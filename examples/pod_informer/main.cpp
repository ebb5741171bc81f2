// Prints every pod that comes, changes and goes, and reads the DNS pods from the cache.
#include <iostream>

#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/label_selector.hpp"

int main() {
  // [begin watch]
  auto stop = kubexx::stop_on_signals();
  auto config = kubexx::rest::Config::load();  // $KUBECONFIG, ~/.kube/config, then in-cluster
  if (!config) return std::cerr << config.error() << '\n', 1;

  kubexx::informer::SharedInformerFactory factory{kubexx::rest::Client(*config)};
  auto pods = factory.for_resource({"", "v1", "pods"}).value();
  auto registration = pods.informer().add_event_handler({
      .on_add = [](const auto& pod) { std::cout << "+ " << pod.name() << '\n'; },
      .on_update = [](const auto&, const auto& pod) { std::cout << "~ " << pod.name() << '\n'; },
      .on_delete = [](const auto& gone) { std::cout << "- " << gone.key() << '\n'; },
  });
  factory.start(stop);
  if (!factory.wait_for_cache_sync(stop)) return 0;  // stopped before the first list arrived
  // [end watch]
  const auto dns =
      pods.lister().in_namespace("kube-system").list(kubexx::meta::LabelSelector::equals("k8s-app", "kube-dns"));
  std::cout << dns.size() << " DNS pods, read from the cache" << std::endl;
  kubexx::wait_for_stop(stop);
}  // ~Registration removes the handler, ~SharedInformerFactory stops and joins what it started
