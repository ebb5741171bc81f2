#include <iostream>
#include <kubexx/base/error.hpp>
#include <kubexx/base/executor.hpp>

int main() {
  const auto error = kubexx::Error::api(404, "NotFound", "pods \"x\" not found");
  std::cout << "consumer: " << error << '\n';
  return error.is_not_found() ? 0 : 1;
}
