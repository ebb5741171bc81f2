#include "copier.hpp"

#include <utility>
#include <vector>

using namespace kubexx;
using api::core::v1::ConfigMapDraft;
using controller::Action;

Copier::Copier(const rest::Client& client, bool forgetful)
    : forgetful_(forgetful),
      copies_api_(client, "kube-public"),
      factory_(client),
      originals_(factory_.informer_for<ConfigMap>({.namespaces = {"default"}})),
      copies_(factory_.informer_for<ConfigMap>({.namespaces = {"kube-public"}})),
      controller_(factory_, originals_, {.name = "copier"}) {
  controller_.watches<ConfigMap>(copies_, [](const ConfigMap& copy) {
    return std::vector<meta::ObjectKey>{{"default", std::string(copy.name())}};
  });
  factory_.start();
  controller_.start(stop_.get_token(), [this](const meta::ObjectKey& key, std::stop_token) { return reconcile(key); });
}

Copier::~Copier() {
  stop_.request_stop();
  static_cast<void>(controller_.join());
}

// [begin bug]
Result<Action> Copier::reconcile(const meta::ObjectKey& key) {
  const auto done = bring_in_line(key.name);
  if (!done && !forgetful_) return done.error();  // tried again, later and later
  return Action::done();                          // with the bug: also what failed
}
// [end bug]

Result<void> Copier::bring_in_line(const std::string& name) {
  const auto original = originals_.lister().get("default/" + name);
  const auto copy = copies_.lister().get("kube-public/" + name);
  if (!original) {
    if (!copy) return {};
    auto removed = copies_api_.remove(name);
    if (!removed && !removed.error().is_not_found()) return removed.error();
    return {};
  }
  const std::string wanted(original->data()["v"]);
  if (copy && copy->data()["v"] == wanted) return {};
  auto draft = copy ? copy->edit() : ConfigMapDraft();
  draft.metadata().set_name(name);
  draft.data().set("v", wanted);
  const auto written = copy ? copies_api_.update(draft) : copies_api_.create(draft);
  if (!written) return written.error();
  return {};
}
