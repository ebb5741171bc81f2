// sample_controller_short [--kubeconfig FILE] [--master URL]: the same as sample_controller, the short way.
#include "flags.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "sample.hpp"

int main(int argc, char** argv) {
  const auto stop = kubexx::stop_on_signals();
  kubexx::set_log_sink(kubexx::stderr_log_sink());
  const auto config = sample::config_from_flags(argc, argv);
  if (!config) return 2;
  const auto client = kubexx::rest::Client::create(*config);
  if (!client) return std::cerr << client.error() << '\n', 2;
  const auto ended = sample::run_short(*client, stop);
  if (ended || ended.error().is_canceled()) return 0;
  std::cerr << ended.error() << '\n';
  return 1;
}
