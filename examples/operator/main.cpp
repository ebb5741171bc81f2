// greeting_operator NAME [--listen ADDRESS] [--show-in NAMESPACE] [--namespace NAMESPACE]: one replica, with a name
// that no other has; runs until SIGINT or SIGTERM. The definition of Greeting (greeting_crd.yaml) is installed before.
#include <iostream>
#include <string_view>

#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "program.hpp"

namespace {

bool parse(int argc, char** argv, greeting_operator::Options& options) {
  if (argc < 2 || argc % 2 != 0) return false;
  options.name = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--listen") {
      options.listen = argv[i + 1];
    } else if (flag == "--show-in") {
      options.show_in = argv[i + 1];
    } else if (flag == "--namespace") {
      options.namespace_ = argv[i + 1];
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  greeting_operator::Options options;
  if (!parse(argc, argv, options)) {
    std::cerr << "usage: greeting_operator NAME [--listen ADDRESS] [--show-in NAMESPACE] [--namespace NAMESPACE]\n";
    return 2;
  }
  kubexx::set_log_sink(kubexx::stderr_log_sink());
  const auto stop = kubexx::stop_on_signals();
  const auto client = kubexx::rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;
  const auto ended = greeting_operator::run(*client, options, stop);
  if (!ended) return std::cerr << ended.error() << '\n', 1;
  return 0;
}
