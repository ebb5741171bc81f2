#include "simulation/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/internal/random_token.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kNames = 12;
constexpr const char* kNamespaces[] = {"default", "kube-public", "kube-system"};
constexpr std::string_view kDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"widgets.sim.example"},"spec":{"group":"sim.example","scope":"Namespaced",)"
    R"("names":{"kind":"Widget","plural":"widgets"},"versions":[{"name":"v1","served":true,"storage":true,)"
    R"("schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

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

Simulation::Simulation(std::uint64_t seed, bool verbose) : random_(seed * 2 + 1), executor_(seed * 2 + 1) {
  world_.verbose = verbose;
  apiserver::Options options;
  options.authentication = false;
  options.seed = seed * 2 + 1;
  options.executor = executor_;
  options.bookmark_interval = seconds(5);
  core_ = std::make_unique<apiserver::Core>(std::move(options));
  transport_ = std::make_shared<testkit::InProcessTransport>(*core_, executor_);
  custom_ = seed % 5 == 4;
  resource_ = custom_ ? meta::GroupVersionResource{"sim.example", "v1", "widgets"}
                      : meta::GroupVersionResource{"", "v1", "configmaps"};
  if (custom_) {
    define(true);
    executor_->run_until_idle();
  }
  for (int i = 0; i < 5; ++i) write();
  choose_options();
  make_informer();
}

Simulation::~Simulation() {
  // Nothing may be left that calls back into what goes now.
  informer_->stop();
  executor_->run_until_idle();
  for (const auto& handler : handlers_) handler->registration.remove();  // each is held by what its registration holds
  handlers_.clear();
  informer_.reset();
  executor_->run_until_idle();
  if (!directory_.empty()) std::filesystem::remove_all(directory_);
}

void Simulation::note(const std::string& line) {
  world_.note("[" + std::to_string(core_->version()) + "] " + line);
}

void Simulation::choose_options() {
  // A host of its own: what is remembered about a server must not pass from one run to the next.
  static std::atomic<std::uint64_t> runs{0};
  rest::Config config;
  config.host = "http://server-" + std::to_string(++runs);
  rest::ClientOptions client_options;
  client_options.transport = transport_;
  client_options.executor = executor_;
  client_options.handlers = executor_;
  client_options.metrics = std::make_shared<MetricsRegistry>();
  client_options.random = &random_;
  client_ = rest::Client::create(config, client_options).value();

  auto& options = options_;
  options.resource = resource_;
  options.executor = executor_;
  options.handlers = executor_;
  options.queue = chance(0.5) ? informer::QueueKind::Ordered : informer::QueueKind::PerKey;
  options.resync_period = chance(0.3) ? Duration(seconds(7)) : Duration::zero();
  options.reflector.emplace();
  options.reflector->random = &random_;
  options.reflector->watch_list = chance(0.6);
  options.reflector->page_size = chance(0.3) ? 3 : 0;
  options.reflector->max_internal_error_retry = chance(0.3) ? Duration(seconds(10)) : Duration::zero();
  verifies_ = chance(0.3);
  if (verifies_) options.reflector->verify_every = minutes(3);
  if (chance(0.3)) options.transform = [](meta::Object object) -> Result<meta::Object> { return object; };
  options.mutation_detector = chance(0.05);
  if (chance(0.25)) scope_.assign(std::begin(kNamespaces), std::end(kNamespaces));
  changes_scope_ = chance(0.3);
  if (!chance(0.3)) return;
  directory_ = std::filesystem::temp_directory_path() / ("kubexx-simulation-" + random_token());
  options.cache_directory = directory_;
  options.cache_interval = seconds(1 + pick(60));
  options.cache_tag = "changes nothing";
  options.cluster.configured = "simulated";
}

void Simulation::make_informer() {
  auto options = options_;
  options.scope.namespaces = scope_;
  informer_ = informer::SharedIndexInformer::create(
      [client = *client_, resource = resource_](const informer::Scope&, const std::string& namespace_) {
        informer::ClientSourceOptions source;
        source.namespace_ = namespace_;
        return informer::make_client_lister_watcher(client, resource, source);
      },
      std::move(options));
  if (chance(0.7)) change_handlers();
  informer_->start();
}

/// The program ends, well or at once, and comes back with what its directory has then.
void Simulation::restart() {
  // What a restored server has done must have been noticed: nobody tells a file of what never happened otherwise.
  if (directory_.empty() || must_notice_before_) return;
  const bool dies = chance(0.5);
  note(dies ? "program dies" : "program ends");
  const auto left = directory_.string() + "-left";
  if (dies && std::filesystem::exists(directory_)) std::filesystem::copy(directory_, left);
  for (const auto& handler : handlers_) {
    handler->registration.remove();
    handler->removed = true;
  }
  handlers_.clear();
  informer_->stop();
  executor_->run_until_idle();
  informer_.reset();
  if (dies) {
    std::filesystem::remove_all(directory_);
    if (std::filesystem::exists(left)) std::filesystem::rename(left, directory_);
  }
  make_informer();
}

void Simulation::define(bool present) {
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
  core_->handle(std::move(request), std::make_shared<Ignored>());
  defined_ = present;
}

Outcome Simulation::run(int steps) {
  for (int i = 0; i < steps && world_.problems().empty(); ++i) {
    step();
    if (chance(0.004)) settle();
  }
  if (world_.problems().empty()) settle();
  return {world_.problems(), world_.digest()};
}

void Simulation::step() {
  const auto dice = pick(100);
  if (dice < 40) return write();
  if (dice < 80) return work();
  if (dice < 89) return pass_time();
  if (dice < 94) return break_something();
  if (dice < 97) return heal_something();
  if (changes_scope_ && dice == 99) return change_scope();
  if (dice == 98 && chance(0.5)) return restart();
  change_handlers();
}

void Simulation::write() {
  if (!defined_) return;
  if (must_notice_before_ && core_->version() + 2 >= *must_notice_before_) settle();
  const std::string namespace_ = kNamespaces[pick(3)];
  const std::string name = "n" + std::to_string(pick(kNames));
  if (chance(0.3)) {
    static_cast<void>(core_->remove(resource_, {namespace_, name}));
    return note("remove " + namespace_ + "/" + name);
  }
  const std::string head =
      custom_ ? R"({"apiVersion":"sim.example/v1","kind":"Widget")" : R"({"apiVersion":"v1","kind":"ConfigMap")";
  const auto object = meta::object_from_json(head + R"(,"metadata":{"name":")" + name + R"(","namespace":")" +
                                             namespace_ + R"("},"data":{"w":")" + std::to_string(++writes_) +
                                             R"(","e":")" + std::to_string(world_.rollbacks) + R"("}})");
  auto stored = core_->seed(object);
  if (!stored && custom_) return;  // the definition is not served yet
  if (!stored) return world_.problem("the server refused a write: " + stored.error().message());
  world_.wrote(*stored);
  note("write " + namespace_ + "/" + name + "#" + std::to_string(writes_));
}

void Simulation::work() {
  for (auto left = 1 + pick(25); left > 0 && executor_->run_one(); --left) {
  }
}

/// The clock moves, but what became due runs when the scheduler likes.
void Simulation::pass_time() {
  const Duration spans[] = {milliseconds(1), milliseconds(100), seconds(1), seconds(5), seconds(30), minutes(2)};
  const auto most = chance(0.1) ? 6 : 4;
  executor_->fake_clock().advance(spans[pick(static_cast<std::uint64_t>(most))]);
}

void Simulation::break_something() {
  if (custom_ && chance(0.15)) return toggle_definition();
  switch (pick(8)) {
    case 0:
    case 1:
      return break_a_request();
    case 2:
      note("compaction");
      return core_->compact_history();
    case 3:
      if (chance(0.5) || !checkpoint_) {
        checkpoint_ = core_->checkpoint();
        return note("checkpoint");
      }
      return restore_the_server();
    case 4:
      note("server goes away");
      outages_.push_back(transport_->refuse_connections());
      return;
    case 5:
      note("relist asked");
      return informer_->relist();
    default:
      return break_a_watch();
  }
}

void Simulation::break_a_watch() {
  switch (pick(8)) {
    case 0:
      note("cut");
      core_->cut_watches();
      return;
    case 1:
      note("end");
      core_->end_watches();
      return;
    case 2:
      note("stall");
      outages_.push_back(core_->stall_watches());
      return;
    case 3:
      note("delay");
      outages_.push_back(core_->delay_watches(milliseconds(1 + pick(3000))));
      return;
    case 4:
      note("drop bookmarks");
      outages_.push_back(core_->drop_bookmarks());
      return;
    case 5:
      note("truncate");
      core_->truncate_watches();
      return;
    case 6:
      note("garbage");
      core_->inject("{\"type\":\"MODIFIED\",\"object\":{nonsense}}\n");
      return;
    default:
      note("bookmarks");
      core_->send_bookmarks();
      return;
  }
}

void Simulation::break_a_request() {
  constexpr int kStatuses[] = {429, 500, 503, 410, 422, 400, 504, 401};
  apiserver::Fault fault;
  fault.verb = chance(0.5) ? "watch" : "list";
  fault.times = 1 + pick(3);
  switch (pick(5)) {
    case 0:
      fault.reset = true;
      break;
    case 1:
      fault.truncate_after = pick(400);
      break;
    case 2:
      fault.delay = seconds(pick(40));
      break;
    default:
      fault.status = kStatuses[pick(std::size(kStatuses))];
      if ((fault.status == 429 || fault.status == 503) && chance(0.5)) fault.retry_after = static_cast<int>(pick(3));
      break;
  }
  note("fault " + fault.verb + " " + std::to_string(fault.status) + (fault.reset ? " reset" : ""));
  outages_.push_back(core_->add_fault(std::move(fault)));
}

void Simulation::restore_the_server() {
  if (custom_) return;  // a restored definition is the server's subject
  // Without its own verification an informer sees a rollback by the version alone: the server must be found behind what
  // the informer has, and before it is restored again (an answer under way may be of the state in between).
  if (must_notice_before_) return;
  const auto ours = informer_->last_sync_resource_version();
  core_->restore(checkpoint_);
  ++world_.rollbacks;
  if (!verifies_ && !ours.empty()) {
    must_notice_before_ = std::strtoull(ours.c_str(), nullptr, 10);
  }
  note("restored, we have " + ours);
}

void Simulation::heal_something() {
  if (outages_.empty()) return;
  note("heal");
  const auto which = pick(outages_.size());
  std::swap(outages_[which], outages_.back());
  outages_.pop_back();
}

void Simulation::toggle_definition() {
  note(defined_ ? "definition removed" : "definition back");
  define(!defined_);
}

void Simulation::change_handlers() {
  if (!handlers_.empty() && (handlers_.size() > 5 || chance(0.5))) {
    const auto which = pick(handlers_.size());
    std::swap(handlers_[which], handlers_.back());
    const auto gone = std::move(handlers_.back());
    handlers_.pop_back();
    gone->registration.remove();
    gone->removed = true;
    return note("handler removed " + gone->name());
  }
  informer::HandlerOptions options;
  options.coalesce = chance(0.3);
  options.split_replaced = chance(0.2);
  if (chance(0.3)) options.resync_period = seconds(pick(20));
  auto handler = std::make_shared<CheckedHandler>(world_, "h" + std::to_string(++handlers_made_), options.coalesce);
  handlers_.push_back(handler);
  note("handler added " + handler->name());
  handler->registration = informer_->add_event_handler(handler, options);
}

/// Some of the namespaces, or all of them under one name or three.
void Simulation::change_scope() {
  if (must_notice_before_) return;  // those that would notice may be gone then
  scope_.clear();
  for (const char* namespace_ : kNamespaces) {
    if (chance(0.5)) scope_.emplace_back(namespace_);
  }
  note("scope of " + std::to_string(scope_.size()) + (scope_.empty() ? "" : " from " + scope_.front()));
  if (auto done = informer_->set_scope({.namespaces = scope_}); !done) {
    world_.problem("the scope was not changed: " + done.error().message());
  }
}

void Simulation::heal_all() {
  outages_.clear();
  if (!defined_) define(true);
}

View Simulation::server_view() const {
  View view;
  for (const auto& object : core_->list(resource_)) {
    const bool wanted = scope_.empty() || std::find(scope_.begin(), scope_.end(), object.namespace_()) != scope_.end();
    if (wanted) view[meta::ObjectKey::of(object).to_string()] = seen(object);
  }
  return view;
}

bool Simulation::settled(std::string* why) const {
  const auto server = server_view();
  const auto fail = [&](const std::string& what, const View& got) {
    if (why) *why = what + " has" + to_string(got) + "\n  the server has" + to_string(server);
    return false;
  };
  View cache;
  informer_->store()->snapshot().for_each(
      [&](const meta::Object& object) { cache[meta::ObjectKey::of(object).to_string()] = seen(object); });
  const auto status = informer_->status();
  const bool gone = status.reflector.state == reflector::ReflectorState::Parked;  // the definition was not taken back
  if (!status.synced || (!status.whole && !gone) || cache != server) return fail("the cache", cache);
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
    if (part != expected) return fail(std::string("the namespace index of ") + namespace_, part);
  }
  for (const auto& handler : handlers_) {
    if (handler->view() != server) return fail(handler->name(), handler->view());
    if (!handler->registration.has_synced()) return fail(handler->name() + ", which is not synced,", handler->view());
  }
  return true;
}

/// Everything works again; in a while everybody must have the server's state.
void Simulation::settle() {
  heal_all();
  note("settle");
  executor_->advance(seconds(1));
  for (int i = 0; i < 90 && !settled(nullptr) && world_.problems().empty(); ++i) executor_->advance(seconds(10));
  std::string why;
  if (!settled(&why)) {
    const auto status = informer_->status();
    world_.problem("not settled after 15 minutes: " + why + "\n  the reflector is " +
                   std::string(reflector::to_string(status.reflector.state)) + " at " +
                   status.reflector.last_sync_resource_version + ", " +
                   (status.reflector.last_error ? status.reflector.last_error->message() : "no error"));
  }
  must_notice_before_.reset();
}

}  // namespace kubexx::simulation
