// The program that README.md shows.
// [begin program]
#include <iostream>
#include <kubexx/kubexx.hpp>

int main() {
  const auto stop = kubexx::stop_on_signals();
  const auto client = kubexx::rest::Client::load();  // $KUBECONFIG, ~/.kube/config, then in-cluster
  if (!client) return std::cerr << client.error() << '\n', 1;
  kubexx::informer::SharedInformerFactory factory(*client);
  const auto pods = factory.core().v1().pods();
  const auto handler = pods.add_event_handler({.on_add = [](const auto& pod) { std::cout << pod.key() << '\n'; }});
  factory.start(stop);
  if (!factory.wait_for_cache_sync(stop)) return 0;  // stopped before the first list arrived
  std::cout << pods.lister().list().size() << " pods in memory" << std::endl;
  kubexx::wait_for_stop(stop);
}  // the handler is removed, what the factory started is stopped and joined
// [end program]
