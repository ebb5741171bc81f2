// The parts of ./dev test-differential that are ours; run.py puts them together. Each speaks in lines.
//
//   serve KUBECONFIG
//       the embedded server; writes the file, says "ready", ends with its input
//
//   link HOST PORT SEED bad|flaky
//       a link with faults of many kinds, or one that is cut twice a second: says "port N"; its faults begin and end
//       when told, it ends with its input
//
//   watch KUBECONFIG NAMESPACE
//       an informer of ConfigMaps: what its handler hears; ends with its input
//
//   write KUBECONFIG NAMESPACE SEED CHANGES PER_SECOND
//       creates, updates and deletes; says what it did and what there is in the end
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/trace.hpp"
#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/fault_proxy.hpp"

namespace {

using namespace kubexx;
using namespace std::chrono_literals;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr std::size_t kKeys = 200;

/// Nanoseconds since 1970, as the program in Go has them.
std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void say(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << '\n' << std::flush;
}

void await_end_of_input() {
  for (std::string line; std::getline(std::cin, line);) {
  }
}

rest::Client client_of(const std::string& kubeconfig, std::shared_ptr<Tracer> tracer = {}) {
  auto config = rest::Config::load({.kubeconfig = kubeconfig}).value();
  config.qps = 0;
  return rest::Client::create(std::move(config), {.tracer = std::move(tracer)}).value();
}

int serve(const std::string& kubeconfig) {
  apiserver::Server server(apiserver::Options{.tls = true});
  server.write_kubeconfig(kubeconfig).value();
  say("ready");
  await_end_of_input();
  return 0;
}

/// So long, or until there are to be no faults any more.
void pause(const std::stop_token& stop, Duration time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [&stop] { return stop.stop_requested(); });
}

/// Faults one after the other, which and when by the seed alone.
void misbehave(testkit::FaultProxy& link, std::uint64_t seed, const std::stop_token& stop) {
  std::mt19937_64 random(seed);
  const auto between = [&random](int least, int most) {
    return std::chrono::milliseconds(least + static_cast<int>(random() % static_cast<std::uint64_t>(most - least + 1)));
  };
  while (!stop.stop_requested()) {
    pause(stop, between(200, 1200));
    const auto kind = random() % 10;
    const auto lasts = between(200, 2000);
    const auto bytes = static_cast<std::size_t>(random() % (64 << 10));
    if (stop.stop_requested()) return;
    if (kind < 4) {
      link.cut();
    } else if (kind < 6) {
      link.cut_after(bytes);
    } else if (kind < 8) {
      const auto outage = link.refuse();
      pause(stop, lasts);
    } else if (kind < 9) {
      const auto outage = link.stall();
      pause(stop, lasts);
    } else {
      const auto outage = link.delay(lasts / 10);
      pause(stop, 1s);
    }
  }
}

/// Cut twice a second in the mean, at random. After one cut in five what is opened again at once is refused.
void cut_often(testkit::FaultProxy& link, std::uint64_t seed, const std::stop_token& stop) {
  std::mt19937_64 random(seed);
  const auto about = [&random](double seconds) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::exponential_distribution<double>(1 / seconds)(random)));
  };
  while (!stop.stop_requested()) {
    pause(stop, about(0.5));
    if (random() % 5 == 0) {
      const auto outage = link.refuse();
      pause(stop, about(0.1));
    } else {
      link.cut();
    }
  }
}

int bad_link(const std::string& host, const std::string& port, std::uint64_t seed, bool flaky) {
  testkit::FaultProxy link(host, static_cast<std::uint16_t>(std::stoi(port)));
  say("port " + std::to_string(link.port()));
  std::jthread faults;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "begin") {
      faults = std::jthread([&](const std::stop_token& stop) { (flaky ? cut_often : misbehave)(link, seed, stop); });
    }
    if (line != "end") continue;
    faults = {};
    say("calm");
  }
  faults = {};
  say("bytes " + std::to_string(link.delivered()) + " connections " + std::to_string(link.accepted()));
  return 0;
}

/// Whole states that were asked for, by lists and by WatchLists.
class Lists final : public Tracer {
 public:
  std::unique_ptr<Span> begin(const SpanStart& start) override {
    if (start.kind == SpanKind::List) ++count;
    return nullptr;
  }
  std::atomic<std::uint64_t> count{0};
};

int watch(const std::string& kubeconfig, const std::string& namespace_) {
  const auto lists = std::make_shared<Lists>();
  informer::FactoryOptions options;
  options.defaults.scope.namespaces = {namespace_};
  informer::DynamicSharedInformerFactory factory(client_of(kubeconfig, lists), std::move(options));
  const auto maps = factory.for_resource(kConfigMaps).value().informer();
  const auto heard = [](const char* what, std::string_view name, std::string_view version) {
    say(std::string(what) + " " + std::string(name) + " " + std::string(version) + " " + std::to_string(now()));
  };
  informer::ResourceEventHandlerFuncs<meta::Object> handler;
  handler.on_add = [&](const meta::Object& object) { heard("add", object.name(), object.resource_version()); };
  handler.on_update = [&](const meta::Object&, const meta::Object& object) {
    heard("update", object.name(), object.resource_version());
  };
  handler.on_delete = [&](const informer::Deleted<meta::Object>& gone) {
    heard("delete", gone.object_key().name, gone.last_known() ? gone.last_known().resource_version() : "-");
  };
  auto registration = maps.add_event_handler(std::move(handler));
  factory.start();
  await_end_of_input();
  registration.remove();
  say("lists " + std::to_string(lists->count.load()));
  return 0;
}

int write(const std::string& kubeconfig, const std::string& namespace_, std::uint64_t seed, std::size_t changes,
          double per_second) {
  const client::DynamicClient client(client_of(kubeconfig));
  const meta::Object space =
      meta::parse_json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + namespace_ + "\"}}").value();
  static_cast<void>(client.resource({"", "v1", "namespaces"}).create(space).value());
  const auto maps = client.resource(kConfigMaps).namespaced(namespace_);
  std::mt19937_64 random(seed);
  std::map<std::string, std::string> there;
  const std::string filler(300, 'x');
  const auto& clock = Clock::system();
  const TimePoint begin = clock.now();
  std::mutex mutex;
  std::condition_variable never;
  for (std::size_t made = 0; made < changes; ++made) {
    const TimePoint due = begin + std::chrono::duration_cast<Duration>(
                                      std::chrono::duration<double>(static_cast<double>(made) / per_second));
    std::unique_lock lock(mutex);
    never.wait_until(lock, std::chrono::steady_clock::now() + std::max(due - clock.now(), Duration::zero()),
                     [&] { return clock.now() >= due; });
    const auto name = "object-" + std::to_string(random() % kKeys);
    const auto found = there.find(name);
    if (found != there.end() && random() % 10 == 0) {
      maps.remove(name).value();
      there.erase(found);
      say("change delete " + name + " - " + std::to_string(now()));
      continue;
    }
    const auto object =
        meta::parse_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                         R"("},"data":{"n":")" + std::to_string(made) + R"(","filler":")" + filler + "\"}}")
            .value();
    const auto stored = found == there.end() ? maps.create(object).value() : maps.update(object).value();
    there[name] = stored.resource_version();
    say("change put " + name + " " + there[name] + " " + std::to_string(now()));
  }
  for (const auto& [name, version] : there) say("final " + name + " " + version);
  return 0;
}

int run(std::span<char*> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  const std::string command = words.empty() ? "" : words.front();
  if (command == "serve" && words.size() == 2) return serve(words[1]);
  if (command == "link" && words.size() == 5) {
    return bad_link(words[1], words[2], std::stoull(words[3]), words[4] == "flaky");
  }
  if (command == "watch" && words.size() == 3) return watch(words[1], words[2]);
  if (command == "write" && words.size() == 6) {
    return write(words[1], words[2], std::stoull(words[3]), std::stoul(words[4]), std::stod(words[5]));
  }
  std::cerr << "differential: serve, link, watch or write; tests/differential/run.py knows how\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
  } catch (const std::exception& e) {
    std::cerr << "differential: " << e.what() << '\n';
    return 1;
  }
}
