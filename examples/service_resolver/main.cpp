// service_resolver [NAMESPACE/]SERVICE [--port NAME] [--zone ZONE] [--family IPv4|IPv6]: prints the addresses of a
// Service that come, change and go, until SIGINT or SIGTERM.
#include <iostream>
#include <string_view>

#include "kubexx/base/stop.hpp"
#include "resolver.hpp"

using namespace service_resolver;

namespace {

void print(char sign, const Endpoints& endpoints) {
  for (const auto& endpoint : endpoints) {
    std::cout << sign << ' ' << endpoint.target();
    if (!endpoint.zone.empty()) std::cout << " zone " << endpoint.zone;
    if (endpoint.terminating) std::cout << " (ends)";
    std::cout << '\n';
  }
}

bool read(int argc, char** argv, Question& question) {
  if (argc < 2 || argc % 2 != 0) return false;
  question.service = argv[1];
  if (const auto slash = question.service.find('/'); slash != std::string::npos) {
    question.namespace_ = question.service.substr(0, slash);
    question.service.erase(0, slash + 1);
  }
  for (int i = 2; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    auto* const value = flag == "--port"     ? &question.port
                        : flag == "--zone"   ? &question.zone
                        : flag == "--family" ? &question.family
                                             : nullptr;
    if (!value) return false;
    *value = argv[i + 1];
  }
  return !question.service.empty() && !question.namespace_.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Question question;
  if (!read(argc, argv, question)) {
    std::cerr << "usage: service_resolver [NAMESPACE/]SERVICE [--port NAME] [--zone ZONE] [--family IPv4|IPv6]\n";
    return 2;
  }
  const auto stop = kubexx::stop_on_signals();
  const auto client = kubexx::rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;

  Resolver resolver(*client, question, [](const Difference& difference, const Endpoints& now) {
    print('-', difference.removed);
    print('~', difference.changed);
    print('+', difference.added);
    std::cout << "= " << now.size() << " addresses" << std::endl;
  });
  if (const auto started = resolver.start(stop); !started) {
    if (stop.stop_requested()) return 0;
    return std::cerr << started.error() << '\n', 1;
  }
  kubexx::wait_for_stop(stop);
}
