#include <iostream>
#include <kubexx/base/error.hpp>
#include <kubexx/base/executor.hpp>
#include <kubexx/base/version.hpp>
#include <kubexx/controller/finalizer.hpp>
#include <shop/v1.hpp>

static_assert(KUBEXX_VERSION_MAJOR >= 0 && !kubexx::kKubernetesVersion.empty());

// Without naming the type, and for what the cache or an edit gives.
kubexx::Result<kubexx::controller::Finalized> clean_up(const kubexx::client::Api<shop::v1::Widget>& widgets,
                                                       const shop::v1::Widget& widget) {
  return kubexx::controller::finalize(widgets, widget, "shop.example.com/stock",
                                      [](const shop::v1::Widget& gone) -> kubexx::Result<void> {
                                        if (gone.spec().size() < 0) return kubexx::Error::config("too small");
                                        return {};
                                      });
}

int main() {
  shop::v1::WidgetDraft draft;
  draft.spec().set_color("red");
  const auto error = kubexx::Error::api(404, "NotFound", "pods \"x\" not found");
  std::cout << "consumer " << kubexx::kVersion << ": " << error << '\n';
  return error.is_not_found() && draft.to_object().spec().color() == "red" ? 0 : 1;
}
