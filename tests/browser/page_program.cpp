// The inspector of a small cluster, for the tests in tests/browser: says the address of its page, then obeys commands
// from standard input, one a line, answering each with "ok" or "error MESSAGE".
//
//   fill N              N pods beside those of the workload, at once
//   apply JSON          an object, seeded or updated
//   delete RESOURCE NS/NAME
//   fault on|off        watches are cut and refused
//   restart             the page ends and comes back at the same address
//   down | up           the same in two steps
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/apiserver/workload.hpp"
#include "kubexx/inspect/server.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx {
namespace {

class Program {
 public:
  explicit Program(bool moving)
      : workload_executor_(std::make_shared<ThreadExecutor>()),
        server_(settings()),
        factory_(testkit::client(server_)),
        moving_(moving) {}

  Result<void> start() {
    for (const char* resource : {"pods", "nodes", "secrets", "configmaps"}) {
      informers_.push_back(factory_.for_resource({"", "v1", resource}).value());
    }
    informers_.push_back(factory_.for_resource({"apps", "v1", "deployments"}).value());
    if (moving_) workload_.emplace(server_.core(), workload_executor_);
    informer::ResourceEventHandlerFuncs<> nothing;
    registration_ = informers_[0].informer().add_event_handler(nothing, named("scheduler"));
    factory_.start();
    const auto synced = factory_.wait_for_cache_sync({}, {.fail_fast = true, .timeout = std::chrono::seconds(60)});
    if (!synced) return *synced.as_error();
    return up();
  }

  std::string url() const { return page_->url(); }

  Result<void> obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "fill") return fill(words);
    if (command == "apply") return apply(line.substr(line.find(' ') + 1));
    if (command == "delete") return remove(words);
    if (command == "down") return page_.reset(), Result<void>();
    if (command == "up") return up();
    if (command == "restart") return page_.reset(), up();
    if (command == "fault") return fault(words);
    return Error::config("unknown command: " + command);
  }

 private:
  static apiserver::Options settings() {
    apiserver::Options options;
    options.history_events = 300'000;
    options.watch_backlog = 1U << 30;  // filling at once is faster than reading
    return options;
  }

  static informer::HandlerOptions named(std::string name) {
    informer::HandlerOptions options;
    options.name = std::move(name);
    return options;
  }

  Result<void> up() {
    inspect::Options options;
    options.title = "page program";
    options.listen = "127.0.0.1:" + std::to_string(port_);
    options.token = token_;
    auto page = inspect::Server::start(std::move(options));
    if (!page) return page.error();
    page_ = std::move(*page);
    page_->add(factory_);
    port_ = page_->port();
    token_ = page_->token();
    return {};
  }

  Result<void> fill(std::istream& words) {
    std::size_t many = 0;
    words >> many;
    for (std::size_t i = 0; i < many; ++i) {
      const auto number = std::to_string(i);
      auto seeded = server_.seed(meta::object_from_json(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"load-)" + number + R"(","namespace":"team-)" +
          std::to_string(i % 50) + R"(","labels":{"app":"app-)" + std::to_string(i % 200) +
          R"(","tier":"load"}},"spec":{"nodeName":"node-)" + std::to_string(i % 300) +
          R"(","containers":[{"name":"main","image":"registry.example/load:1"}]},"status":{"phase":")" +
          (i % 7 == 0 ? "Pending" : "Running") + R"("}})"));
      if (!seeded) return seeded.error();
    }
    return {};
  }

  Result<void> apply(const std::string& json) {
    const auto object = meta::parse_json(json);
    if (!object) return object.error();
    auto done = server_.seed(*object);
    if (!done && done.error().is_already_exists()) done = server_.update(*object);
    if (!done) return done.error();
    return {};
  }

  Result<void> remove(std::istream& words) {
    std::string resource;
    std::string key;
    words >> resource >> key;
    const auto parsed = meta::ObjectKey::parse(key);
    if (!parsed) return parsed.error();
    auto gone = server_.core().remove({"", "v1", resource}, *parsed);
    if (!gone) return gone.error();
    return {};
  }

  Result<void> fault(std::istream& words) {
    std::string how;
    words >> how;
    outage_ = how == "on" ? server_.interrupt_watches() : apiserver::Outage();
    return {};
  }

  std::shared_ptr<ThreadExecutor> workload_executor_;
  apiserver::Server server_;
  informer::DynamicSharedInformerFactory factory_;
  const bool moving_;
  std::vector<informer::GenericInformer> informers_;
  std::optional<apiserver::Workload> workload_;
  informer::Registration registration_;
  apiserver::Outage outage_;
  std::uint16_t port_ = 0;
  std::string token_;
  std::unique_ptr<inspect::Server> page_;
};

}  // namespace
}  // namespace kubexx

int main(int argc, char** argv) {
  kubexx::Program program(argc > 1 && std::string_view(argv[1]) == "--moving");
  if (const auto started = program.start(); !started) {
    std::cerr << started.error() << '\n';
    return 1;
  }
  std::cout << program.url() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto done = program.obey(line);
    if (done) {
      std::cout << "ok" << std::endl;
    } else {
      std::cout << "error " << done.error() << std::endl;
    }
  }
}
