// The program of docs/guide/06-custom-resources.md.
// [begin program]
#include <iostream>
#include <kubexx/kubexx.hpp>
#include <samplecontroller/v1alpha1.hpp>

using samplecontroller::v1alpha1::Foo;

int main() {
  const auto stop = kubexx::stop_on_signals();
  const auto client = kubexx::rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;

  kubexx::informer::SharedInformerFactory factory(*client);
  const auto foos = factory.informer_for<Foo>();
  const auto handler = foos.add_event_handler({
      .on_add = [](const Foo& foo) { std::cout << foo.key() << ": " << foo.spec().replicas() << " replicas\n"; },
      .on_update = [](const Foo& foo) { std::cout << foo.key() << ": now " << foo.spec().replicas() << " replicas\n"; },
      .on_delete = [](const auto& foo) { std::cout << foo.key() << ": gone\n"; },
  });
  std::cout.setf(std::ios::unitbuf);  // lines are seen at once, in a pipe too
  factory.start(stop);                // a definition that is not there yet is waited for
  kubexx::wait_for_stop(stop);
}
// [end program]
