// tested_controller: removes ConfigMaps when their time is over, until SIGINT or SIGTERM.
#include <iostream>

#include "expiry.hpp"
#include "kubexx/base/stop.hpp"

int main() {
  const auto stop = kubexx::stop_on_signals();
  const auto client = kubexx::rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;
  const auto ended = tested_controller::run(*client, stop);
  if (!ended && !stop.stop_requested()) return std::cerr << ended.error() << '\n', 1;
}
