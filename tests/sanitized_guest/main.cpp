#include <cstdio>
#include <string_view>

#include "kubexx/meta/json.hpp"

int main() {
  std::string_view name;
  {
    const auto object = kubexx::meta::object_from_json(R"({"metadata":{"name":"web"}})");
    name = object.name();
  }
  std::printf("%c is read although its object is gone\n", name.front());
}
