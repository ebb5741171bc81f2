#include "simulation/informer_scenario.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/internal/random_token.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::simulation {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kNames = 12;
constexpr const char* kNamespaces[] = {"default", "kube-public", "kube-system"};
// Large enough to stand once for several objects.
constexpr const char* kLabels[] = {
    R"({"app.kubernetes.io/name":"north","app.kubernetes.io/part-of":"the simulation","tier":"one"})",
    R"({"app.kubernetes.io/name":"east","app.kubernetes.io/part-of":"the simulation","tier":"two"})",
    R"({"app.kubernetes.io/name":"south","app.kubernetes.io/part-of":"the simulation","tier":"one"})",
    R"({"app.kubernetes.io/name":"west","app.kubernetes.io/part-of":"the simulation","tier":"two"})"};
constexpr const char* kTexts[] = {
    "what stands here stands in many of them", "another text, which many of them have too",
    "the third of the four texts that there are", "and the last one, as long as the others"};
constexpr std::string_view kDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"widgets.sim.example"},"spec":{"group":"sim.example","scope":"Namespaced",)"
    R"("names":{"kind":"Widget","plural":"widgets"},"versions":[{"name":"v1","served":true,"storage":true,)"
    R"("schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

bool chance(Random& random, double p) {
  return random.uniform() < p;
}

/// An answer nobody reads.
class Ignored final : public apiserver::ResponseWriter {
 public:
  void respond(int, apiserver::HeaderFields, std::string) override {}
  void start(int, apiserver::HeaderFields) override {}
  void write(apiserver::SharedBytes) override {}
  void finish() override {}
  void abort() override {}
  std::size_t backlog() const override { return 0; }
  void on_close(std::function<void()>) override {}
};

}  // namespace

InformerScenario::InformerScenario(testkit::Simulation& simulation)
    : simulation_(simulation), world_(simulation), program_(simulation.start_program("informer")) {
  Random random(simulation.seed());
  custom_ = simulation.seed() % 5 == 4;
  alike_ = simulation.seed() % 2 == 0;
  resource_ = custom_ ? meta::GroupVersionResource{"sim.example", "v1", "widgets"}
                      : meta::GroupVersionResource{"", "v1", "configmaps"};
  if (custom_) define(true);
  for (int i = 0; i < 5; ++i) write(random);
  choose_options(random);
  make_informer(random);
}

InformerScenario::~InformerScenario() {
  for (const auto& handler : handlers_) handler->registration.remove();  // each is held by what its registration holds
  handlers_.clear();
  informer_->stop();
  informer_->join();
  informer_.reset();
  if (!directory_.empty()) std::filesystem::remove_all(directory_);
}

testkit::SimulationWeights InformerScenario::weights() const {
  testkit::SimulationWeights weights;
  weights.verbs = {"list", "watch"};
  return weights;
}

std::vector<testkit::SimulationStep> InformerScenario::steps() {
  std::vector<testkit::SimulationStep> all{
      {"write", [this](Random& random) { write(random); }, 40},
      {"handlers", [this](Random& random) { change_handlers(random); }, 2},
      {"relist",
       [this](Random&) {
         simulation_.describe("a relist is asked for");
         informer_->relist();
       },
       0.6},
  };
  if (!directory_.empty()) all.push_back({"restart", [this](Random& random) { restart(random); }, 0.5});
  if (changes_scope_) all.push_back({"scope", [this](Random& random) { change_scope(random); }, 1});
  // A restored definition is the server's subject.
  if (custom_) {
    all.push_back({"definition", [this](Random&) { toggle_definition(); }, 0.75});
  } else {
    all.push_back({"backup", [this](Random& random) { checkpoint_or_restore(random); }, 0.6});
  }
  return all;
}

void InformerScenario::choose_options(Random& random) {
  auto& options = options_;
  options.resource = resource_;
  options.executor = program_->client().executor();
  options.handlers = program_->client().handlers();
  options.queue = chance(random, 0.5) ? informer::QueueKind::Ordered : informer::QueueKind::PerKey;
  options.resync_period = chance(random, 0.3) ? Duration(seconds(7)) : Duration::zero();
  options.reflector.emplace();
  options.reflector->watch_list = chance(random, 0.6);
  options.reflector->page_size = chance(random, 0.3) ? 3 : 0;
  options.reflector->max_internal_error_retry = chance(random, 0.3) ? Duration(seconds(10)) : Duration::zero();
  verifies_ = chance(random, 0.3);
  if (verifies_) options.reflector->verify_every = minutes(3);
  if (chance(random, 0.3)) options.transform = [](meta::Object object) -> Result<meta::Object> { return object; };
  options.mutation_detector = chance(random, 0.05);
  if (chance(random, 0.25)) scope_.assign(std::begin(kNamespaces), std::end(kNamespaces));
  changes_scope_ = chance(random, 0.3);
  if (!chance(random, 0.3)) return;
  directory_ = std::filesystem::temp_directory_path() / ("kubexx-simulation-" + random_token());
  options.cache_directory = directory_;
  options.cache_interval = seconds(1 + random.below(60));
  options.cache_tag = "changes nothing";
  options.cluster.configured = "simulated";
}

void InformerScenario::make_informer(Random& random) {
  auto options = options_;
  options.scope.namespaces = scope_;
  informer_ = informer::SharedIndexInformer::create(
      [client = program_->client(), resource = resource_](const informer::Scope&, const std::string& namespace_) {
        informer::ClientSourceOptions source;
        source.namespace_ = namespace_;
        return informer::make_client_lister_watcher(client, resource, source);
      },
      std::move(options));
  if (chance(random, 0.7)) change_handlers(random);
  informer_->start();
}

/// The program ends, well or at once, and comes back with what its directory has then.
void InformerScenario::restart(Random& random) {
  // What a restored server has done must have been noticed: nobody tells a file of what never happened otherwise.
  if (must_notice_before_ || program_->frozen()) return;
  const bool dies = chance(random, 0.5);
  simulation_.describe(dies ? "the program dies, and comes back" : "the program ends, and comes back");
  const auto left = directory_.string() + "-left";
  if (dies && std::filesystem::exists(directory_)) std::filesystem::copy(directory_, left);
  for (const auto& handler : handlers_) {
    handler->registration.remove();
    handler->removed = true;
  }
  handlers_.clear();
  informer_->stop();
  informer_->join();
  informer_.reset();
  if (dies) {
    std::filesystem::remove_all(directory_);
    if (std::filesystem::exists(left)) std::filesystem::rename(left, directory_);
  }
  make_informer(random);
}

void InformerScenario::define(bool present) {
  apiserver::Request request;
  request.target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  if (present) {
    request.method = "POST";
    request.headers = {{"content-type", "application/json"}};
    request.body = kDefinition;
  } else {
    request.method = "DELETE";
    request.target += "/widgets.sim.example";
  }
  simulation_.server().handle(std::move(request), std::make_shared<Ignored>());
  defined_ = present;
}

void InformerScenario::toggle_definition() {
  simulation_.describe(defined_ ? "the definition is removed" : "the definition is back");
  define(!defined_);
}

void InformerScenario::write(Random& random) {
  if (!defined_) return;
  auto& server = simulation_.server();
  if (must_notice_before_ && server.version() + 2 >= *must_notice_before_) simulation_.settle();
  const std::string namespace_ = kNamespaces[random.below(3)];
  const std::string name = "n" + std::to_string(random.below(kNames));
  if (chance(random, 0.3)) {
    static_cast<void>(server.remove(resource_, {namespace_, name}));
    return simulation_.describe("remove " + namespace_ + "/" + name);
  }
  const std::string head =
      custom_ ? R"({"apiVersion":"sim.example/v1","kind":"Widget")" : R"({"apiVersion":"v1","kind":"ConfigMap")";
  std::string metadata = R"("name":")" + name + R"(","namespace":")" + namespace_ + '"';
  std::string data = R"("w":")" + std::to_string(++writes_) + R"(","e":")" + std::to_string(world_.rollbacks) + '"';
  if (alike_) {
    metadata.append(R"(,"labels":)").append(kLabels[random.below(std::size(kLabels))]);
    data.append(R"(,"t":")").append(kTexts[random.below(std::size(kTexts))]).append(1, '"');
  }
  auto stored =
      server.seed(meta::object_from_json(head + R"(,"metadata":{)" + metadata + R"(},"data":{)" + data + "}}"));
  if (!stored && custom_) return;  // the definition is not served yet
  if (!stored) return simulation_.fail("the server refused a write", stored.error().message());
  world_.wrote(*stored);
  simulation_.describe("write " + namespace_ + "/" + name + "#" + std::to_string(writes_));
}

void InformerScenario::checkpoint_or_restore(Random& random) {
  if (chance(random, 0.5) || !checkpoint_) {
    checkpoint_ = simulation_.server().checkpoint();
    return simulation_.describe("a backup of the server is made");
  }
  restore_the_server();
}

void InformerScenario::restore_the_server() {
  // Without its own verification an informer sees a rollback by the version alone: the server must be found behind what
  // the informer has, and before it is restored again (an answer under way may be of the state in between).
  if (must_notice_before_) return;
  const auto ours = informer_->last_sync_resource_version();
  simulation_.server().restore(checkpoint_);
  ++world_.rollbacks;
  if (!verifies_ && !ours.empty()) must_notice_before_ = std::strtoull(ours.c_str(), nullptr, 10);
  simulation_.describe("the server is restored from its backup, the informer has " + ours);
}

void InformerScenario::change_handlers(Random& random) {
  if (!handlers_.empty() && (handlers_.size() > 5 || chance(random, 0.5))) {
    const auto which = random.below(handlers_.size());
    std::swap(handlers_[which], handlers_.back());
    const auto gone = std::move(handlers_.back());
    handlers_.pop_back();
    gone->registration.remove();
    gone->removed = true;
    return simulation_.describe("handler " + gone->name() + " is removed");
  }
  informer::HandlerOptions options;
  options.coalesce = chance(random, 0.3);
  options.split_replaced = chance(random, 0.2);
  if (chance(random, 0.3)) options.resync_period = seconds(random.below(20));
  auto handler = std::make_shared<CheckedHandler>(world_, "h" + std::to_string(++handlers_made_), options.coalesce);
  handlers_.push_back(handler);
  simulation_.describe("handler " + handler->name() + " is added");
  handler->registration = informer_->add_event_handler(handler, options);
}

/// Some of the namespaces, or all of them under one name or three.
void InformerScenario::change_scope(Random& random) {
  if (must_notice_before_) return;  // those that would notice may be gone then
  scope_.clear();
  for (const char* namespace_ : kNamespaces) {
    if (chance(random, 0.5)) scope_.emplace_back(namespace_);
  }
  std::string text;
  for (const auto& each : scope_) text += " " + each;
  simulation_.describe("the scope is" + (text.empty() ? " everything" : text));
  if (auto done = informer_->set_scope({.namespaces = scope_}); !done) {
    simulation_.fail("the scope was not changed", done.error().message());
  }
}

void InformerScenario::heal() {
  if (!defined_) define(true);
}

View InformerScenario::server_view() const {
  View view;
  for (const auto& object : simulation_.server().list(resource_)) {
    const bool wanted = scope_.empty() || std::find(scope_.begin(), scope_.end(), object.namespace_()) != scope_.end();
    if (wanted) view[meta::ObjectKey::of(object).to_string()] = seen(object);
  }
  return view;
}

std::string InformerScenario::missing() const {
  const auto server = server_view();
  const auto differs = [&](const std::string& what, const View& got) {
    return what + " has" + to_string(got) + "\n  the server has" + to_string(server);
  };
  View cache;
  informer_->store()->snapshot().for_each(
      [&](const meta::Object& object) { cache[meta::ObjectKey::of(object).to_string()] = seen(object); });
  const auto status = informer_->status();
  const bool gone = status.reflector.state == reflector::ReflectorState::Parked;  // the definition was not taken back
  if (!status.synced || (!status.whole && !gone) || cache != server) return differs("the cache", cache);
  for (const char* namespace_ : kNamespaces) {
    View part;
    const auto found = informer_->store()->by_index(store::kNamespaceIndex, namespace_).value();
    for (const auto& object : found) {
      part[meta::ObjectKey::of(object).to_string()] = seen(object);
    }
    View expected;
    for (const auto& [key, state] : server) {
      if (key.starts_with(std::string(namespace_) + "/")) expected[key] = state;
    }
    if (part != expected) return differs(std::string("the namespace index of ") + namespace_, part);
  }
  for (const auto& handler : handlers_) {
    if (handler->view() != server) return differs(handler->name(), handler->view());
    if (!handler->registration.has_synced())
      return differs(handler->name() + ", which is not synced,", handler->view());
  }
  return {};
}

std::string InformerScenario::unsettled() {
  auto text = missing();
  if (text.empty()) {
    must_notice_before_.reset();
    return {};
  }
  const auto status = informer_->status().reflector;
  return text + "\n  the reflector is " + std::string(reflector::to_string(status.state)) + " at " +
         status.last_sync_resource_version + ", " + (status.last_error ? status.last_error->message() : "no error");
}

}  // namespace kubexx::simulation
