// sample_controller [--kubeconfig FILE] [--master URL]: runs until SIGINT or SIGTERM. The definition of Foo
// (foo_crd.yaml) is installed before, by whoever may.
#include "flags.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "sample.hpp"

int main(int argc, char** argv) {
  const auto stop = kubexx::stop_on_signals();
  kubexx::set_log_sink(kubexx::stderr_log_sink());
  const auto client = sample::client_from_flags(argc, argv);
  if (!client) return 2;
  const auto ended = sample::Controller(*client).run(stop);
  if (ended || ended.error().is_canceled()) return 0;
  std::cerr << ended.error() << '\n';
  return 1;
}
