// Prints every pod that comes, changes and goes, and reads the DNS pods from the cache.
// [begin watch]
#include <iostream>
#include <kubexx/kubexx.hpp>

using kubexx::api::core::v1::Pod;  // a handle: copying it copies a pointer

int main() {
  auto stop = kubexx::stop_on_signals();
  auto client = kubexx::rest::Client::load();  // $KUBECONFIG, ~/.kube/config, then in-cluster
  if (!client) return std::cerr << client.error() << '\n', 1;

  kubexx::informer::SharedInformerFactory factory(*client);
  auto pods = factory.core().v1().pods();
  auto registration = pods.add_event_handler({
      .on_add = [](const Pod& pod) { std::cout << "+ " << pod.key() << " on " << pod.spec().node_name() << '\n'; },
      .on_update = [](const Pod& pod) { std::cout << "~ " << pod.key() << '\n'; },
      .on_delete = [](const auto& gone) { std::cout << "- " << gone.key() << '\n'; },
  });
  factory.start(stop);
  if (!factory.wait_for_cache_sync(stop)) return 0;  // stopped before the first list arrived

  const auto dns = pods.lister().pods("kube-system").list(kubexx::meta::LabelSelector::equals("k8s-app", "kube-dns"));
  std::cout << dns.size() << " DNS pods, read from the cache" << std::endl;
  kubexx::wait_for_stop(stop);
}  // ~Registration removes the handler, ~SharedInformerFactory stops and joins what it started
// [end watch]
