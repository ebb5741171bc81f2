#include "lacks/world.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <new>
#include <system_error>

#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::lacks {
namespace {

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

std::string entry(const meta::Object& object) {
  return object.key() + "=" + std::string(object.resource_version());
}

/// Calls a handler that is the test's and not the program's.
class Exempt final : public informer::ResourceEventHandler {
 public:
  explicit Exempt(std::shared_ptr<informer::ResourceEventHandler> to) : to_(std::move(to)) {}
  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override {
    const Counted off(false);
    to_->on_add(object, initial, context);
  }
  void on_update(const meta::Object& before, const meta::Object& after,
                 const informer::EventContext& context) override {
    const Counted off(false);
    to_->on_update(before, after, context);
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override {
    const Counted off(false);
    to_->on_delete(gone, context);
  }

 private:
  const std::shared_ptr<informer::ResourceEventHandler> to_;
};

}  // namespace

std::string_view to_string(Wire wire) noexcept {
  constexpr std::array<std::string_view, 3> kWireNames{"loop_http1", "loop_http2", "threads_http2"};
  return kWireNames[static_cast<std::size_t>(wire)];
}

World::World(Wire wire) : wire_(wire) {
  // OpenSSL 3.5 waits for itself, for ever, where the first memory that it asks for is refused: it is made before.
  OPENSSL_init_crypto(0, nullptr);
  apiserver::Options options;
  options.tls = wire != Wire::LoopHttp1;
  options.seed = 1;
  server_ = std::make_unique<apiserver::Server>(options);
  for (int i = 0; i < 4; ++i) put("default/object-" + std::to_string(i), "first");
}

void World::put(const std::string& key, const std::string& value) {
  static_cast<void>(server_->seed(testkit::make_config_map(key, value)).value());
}

void World::remove(const std::string& key) {
  static_cast<void>(server_->core().remove(kConfigMaps, meta::ObjectKey::parse(key).value()).value());
}

std::vector<std::string> World::state() const {
  std::vector<std::string> all;
  for (const auto& object : server_->core().list(kConfigMaps)) all.push_back(entry(object));
  std::ranges::sort(all);
  return all;
}

bool run_until(LoopExecutor* loop, const std::function<bool()>& condition) {
  const auto uncounted = [&condition] {
    const Counted off(false);
    return condition();
  };
  if (!loop) return testkit::eventually(uncounted, kPatience);
  const Counted on;
  const TimePoint until = Clock::system().now() + kPatience;
  while (Clock::system().now() < until) {
    try {
      if (loop->run_until(uncounted, {}, std::chrono::milliseconds(100))) return true;
    } catch (const std::bad_alloc&) {  // the program's loop is told, and goes on
    }
  }
  return false;
}

bool attempt(const std::function<void()>& work) {
  const Counted on;
  try {
    work();
    return true;
  } catch (const Exception&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {
  }
  if (refused() == 0) throw Violation("refused, though nothing was lacking");
  return false;
}

Connection connect(World& world) {
  Connection made;
  rest::ClientOptions options;
  if (world.wire() != Wire::ThreadsHttp2) options.executor = made.own.loop = std::make_shared<LoopExecutor>();
  made.client = rest::Client::create(testkit::config(world.server()), std::move(options)).value();
  return made;
}

Program::Program(World& world, const std::string& cache_directory) : world_(world) {
  {
    const Counted off(false);
    history_ = std::make_shared<CheckedHistory>(HistoryRules{.versions_may_fall = false});
  }
  auto connection = connect(world);
  own_ = std::move(connection.own);
  client_ = std::move(connection.client);
  informer::FactoryOptions options;
  options.defaults.backoff = Backoff::none();
  options.defaults.cache_interval = std::chrono::milliseconds(20);
  options.cache_directory = cache_directory;
  factory_ = std::make_unique<informer::DynamicSharedInformerFactory>(*client_, std::move(options));
  informer_ = factory_->for_resource(kConfigMaps).value().informer().shared();
  registration_ = informer_->add_event_handler(std::make_shared<Exempt>(history_));
  factory_->start();
}

Program::~Program() {
  const Counted on;
  registration_ = {};
  factory_.reset();
  informer_.reset();
  client_.reset();
  own_ = {};
}

bool Program::run_until(const std::function<bool()>& condition) {
  return lacks::run_until(own_.loop.get(), condition);
}

bool Program::equal() const {
  const auto wanted = world_.state();
  std::vector<std::string> cached;
  for (const auto& object : informer_->store()->list()) cached.push_back(entry(object));
  std::ranges::sort(cached);
  return cached == wanted && history_->view() == wanted && informer_->status().synced;
}

void Program::await_equal() {
  if (!run_until([this] { return equal(); })) {
    const auto status = informer_->status();
    std::string text = "the cache did not become equal to the server; synced " + std::to_string(status.synced) +
                       ", cached " + std::to_string(informer_->store()->list().size()) + ", heard " +
                       std::to_string(history_->view().size()) + " of " + std::to_string(world_.state().size()) +
                       "; the reflector is " + std::string(to_string(status.reflector.state)) + ", lists " +
                       std::to_string(status.reflector.lists) + ", watches " + std::to_string(status.reflector.watches);
    for (const auto& [reason, count] : status.reflector.restarts) text += ", " + reason + " " + std::to_string(count);
    if (status.reflector.last_error) text += ", last error: " + status.reflector.last_error->message();
    throw Violation(text);
  }
  check_history();
}

void Program::check_history() const {
  const auto problems = history_->problems();
  if (!problems.empty()) throw Violation("history: " + problems.front());
}

void Program::end() {
  const Counted on;
  factory_->shutdown();
}

std::unique_ptr<Program> begin(World& world, const std::string& cache_directory) {
  std::unique_ptr<Program> program;
  for (int i = 0; i < 100 && !program; ++i) {
    attempt([&] { program = std::make_unique<Program>(world, cache_directory); });
  }
  if (!program) throw Violation("the program does not begin though nothing is lacking any more");
  return program;
}

}  // namespace kubexx::lacks
