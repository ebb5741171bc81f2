// leader_service serve NAME [--listen ADDRESS] [--lease SECONDS]: one replica, with a name that no other has.
// leader_service follow: a client of whichever leads. Both run until SIGINT or SIGTERM.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "follower.hpp"
#include "kubexx/base/stop.hpp"
#include "service.hpp"

namespace {

int usage() {
  std::cerr << "usage: leader_service serve NAME [--listen ADDRESS] [--lease SECONDS]\n       leader_service follow\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  leader_service::Options options;
  if (command == "serve" && argc > 2 && argc % 2 == 1) {
    options.name = argv[2];
    for (int i = 3; i < argc; i += 2) {
      const std::string_view flag = argv[i];
      if (flag == "--listen") {
        options.listen = argv[i + 1];
      } else if (flag == "--lease") {
        options.lease = std::chrono::seconds(std::atoi(argv[i + 1]));
      } else {
        return usage();
      }
    }
  } else if (command != "follow" || argc != 2) {
    return usage();
  }

  const auto stop = kubexx::stop_on_signals();
  const auto client = kubexx::rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;
  const auto over =
      command == "serve" ? leader_service::Service(*client, options).run(stop) : leader_service::follow(*client, stop);
  if (!over) return std::cerr << over.error() << '\n', 1;
  return 0;
}
