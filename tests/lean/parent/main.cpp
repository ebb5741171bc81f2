#include <iostream>
#include <kubexx/kubexx.hpp>

int main() {
  const auto config = kubexx::rest::Config::load({.kubeconfig = "/nowhere"});
  if (config) return 1;
  std::cout << "kubexx " << kubexx::kVersion << ": " << config.error() << '\n';
}
