#include <iostream>
#include <kubexx/base/version.hpp>
#include <shop/v1.hpp>

// The library links, and the generator of the package wrote the types of widget.yaml.
int main() {
  shop::v1::WidgetDraft widget;
  widget.spec().set_color("red");
  std::cout << "kubexx " << kubexx::kVersion << '\n';
  return widget.to_object().spec().color() == "red" ? 0 : 1;
}
