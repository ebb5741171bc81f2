// Prints every pod that comes, changes and goes, and reads the pods of a node from the cache; C++17.
#include <signal.h>

#include <iostream>
#include <kubexx/c.hpp>

using kubexx_c::Options;

int main() try {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);  // before the client starts threads

  // [begin informer]
  const kubexx_c::Client client(kubexx_c::Config::load());  // $KUBECONFIG, ~/.kube/config, then in-cluster
  const kubexx_c::Informer pods(client, "v1/pods", Options().set(KUBEXX_OPTION_FIELD_INDEX, "node=spec.nodeName"));
  const auto registration = pods.add_handler([](const kubexx_c::Event& event) {
    const char* const signs = " +~-";
    std::cout << signs[event.type()] << ' ' << event.key() << std::endl;
  });
  pods.start();
  pods.wait_for_sync(Options().set(KUBEXX_OPTION_TIMEOUT_MS, 30000));
  // [end informer]

  const auto snapshot = pods.snapshot();
  std::string node;
  if (snapshot.size() > 0) node = snapshot.list()[0].string("/spec/nodeName").value_or("");
  std::cerr << snapshot.by_index("node", node).size() << " pods on node " << node << ", read from the cache\n";
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
} catch (const kubexx_c::Error& error) {
  std::cerr << kubexx_status_text(error.status()) << ": " << error.what() << '\n';
  return 1;
}
