#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "live_table.hpp"
#include "owner_tree.hpp"
#include "targets.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kPatience = 20s;

struct Flags {
  Connection connection;
  std::vector<std::string> words;
};

class TreeView final : public LiveView {
 public:
  TreeView(const OwnerTree& tree, std::string title) : tree_(tree), title_(std::move(title)) {}
  std::vector<std::string> head(Size size) override {
    return {styled(cut_to(title_ + "   q quits", size.columns), kCyan), ""};
  }
  std::size_t height() override {
    lines_ = tree_.lines(Clock::system().now());
    return lines_.size();
  }
  std::vector<std::string> body(std::size_t offset, std::size_t count, std::size_t width) override {
    std::vector<std::string> shown;
    for (auto i = offset; i < lines_.size() && shown.size() < count; ++i) {
      shown.push_back(styled(cut_to(lines_[i].text, width), lines_[i].style));
    }
    return shown;
  }
  bool restless() override { return true; }

 private:
  const OwnerTree& tree_;
  std::string title_;
  std::vector<OwnerTree::Line> lines_;
};

/// What may be owned: everything that can be listed and watched, each in its preferred version.
Result<std::vector<client::ApiResource>> owned_resources(client::ResourceMapper& mapper, bool namespaced_only) {
  auto all = mapper.all(until_signal());
  if (!all) return all.error();
  std::vector<client::ApiResource> chosen;
  std::set<meta::GroupResource> seen;
  for (const auto& resource : *all) {
    if (!resource.can("list") || !resource.can("watch") || resource.resource.resource == "events") continue;
    if (namespaced_only && !resource.namespaced) continue;
    if (seen.insert(resource.resource.group_resource()).second) chosen.push_back(resource);
  }
  return chosen;
}

/// Informers that are refused (a right is missing, the kind is gone) are not waited for.
bool settled(const informer::SharedIndexInformer& informer) {
  if (informer.has_synced()) return true;
  const auto status = informer.status();
  const auto& error = status.reflector.last_error;
  return error && error->kind() == ErrorKind::Api && error->code() >= 400 && error->code() < 500;
}

int tree(const Flags& flags) {
  auto client = flags.connection.connect();
  if (!client) return fail(client.error());
  const auto stop = stop_on_signals();
  client::ResourceMapper mapper(*client);
  const auto targets = resolve_targets(mapper, flags.words, true);
  if (!targets) return fail(targets.error());
  if (targets->size() != 1 || targets->front().name.empty()) return misuse("one object is wanted, like deployment/web");
  const auto& target = targets->front();
  const auto scope = target.resource.namespaced ? client->config().default_namespace : std::string();
  const client::ResourceApi api(*client, target.resource.resource, scope);
  client::GetOptions once;
  once.stop = stop;
  const auto root = api.get(target.name, once);
  if (!root) return fail(root.error());

  const auto resources = owned_resources(mapper, target.resource.namespaced);
  if (!resources) return fail(resources.error());
  informer::FactoryOptions options;
  options.defaults.scope.namespaces = {scope};
  auto projection = meta::Projection::paths(OwnerTree::fields());
  if (!projection) return fail(projection.error());
  options.defaults.scope.projection = *projection;
  Wakeup wake;
  OwnerTree owners(target.resource, meta::ObjectKey::of(*root), [&wake] { wake.notify(); });
  informer::DynamicSharedInformerFactory factory(*client, options);
  LinkedStop end{stop, out().broken()};
  std::vector<std::shared_ptr<informer::SharedIndexInformer>> informers;
  std::vector<informer::Registration> registrations;
  for (const auto& resource : *resources) {
    auto informer = factory.for_resource(resource.resource, {.cluster_wide = !resource.namespaced});
    if (!informer) return fail(informer.error());
    informers.push_back(informer->shared());
    registrations.push_back(informer->add_event_handler(owners.handler(resource)));
  }
  factory.start(end.token());
  const auto deadline = Clock::system().now() + kPatience;
  const auto done = [&] {
    return std::all_of(informers.begin(), informers.end(), [](const auto& one) { return settled(*one); });
  };
  while (!done() && Clock::system().now() < deadline && !wait_for_stop(end.token(), 20ms)) {
  }
  for (std::size_t i = 0; i < registrations.size(); ++i) {
    if (informers[i]->has_synced()) registrations[i].wait_until_synced(end.token());
  }
  if (end.token().stop_requested()) return 0;
  if (stdout_is_terminal()) {
    TreeView view(owners, object_name(target.resource, target.name));
    run_live(view, wake, end.token());
  } else {
    std::string text;
    for (const auto& line : owners.lines(Clock::system().now())) text += line.text + '\n';
    out().write(text);
  }
  std::string refused;
  for (const auto& informer : informers) {
    if (!informer->has_synced()) refused += (refused.empty() ? "" : ", ") + informer->status().description;
  }
  end.request_stop();
  registrations.clear();
  factory.shutdown();
  if (!refused.empty()) note("not looked at, for the server would not list them: " + refused);
  return 0;
}

}  // namespace

void add_tree(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("tree", "Show what an object owns, live; once when piped");
  command.footer(
      "Examples:\n"
      "  kubexx tree deployment/web          its replica sets and their pods\n"
      "  kubexx tree foo my-foo -n demo      of a custom resource");
  command.option("KIND/NAME", &flags->words, "The object").required();
  command.option("-n,--namespace", &flags->connection.options.namespace_, "Namespace; default: the context's");
  flags->connection.add_to(command);
  command.on_run([flags] { return until_stopped(tree(*flags)); });
}

}  // namespace kubexx::app
