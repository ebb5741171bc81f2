// node_agent [--node NAME] [--service-account FOLDER] [--listen ADDRESS:PORT]: for every line of standard input, a
// container id, a cgroup path (or a line of /proc/PID/cgroup), a pod's uid or an address, says to which pod of this
// node it belongs. With --processes SECONDS it reads the cgroups of all processes instead, again and again, from /proc
// or the folder of --proc. It runs until the end of its input, SIGINT or SIGTERM.
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/agent/node_pods.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/inspect/server.hpp"
#include "line_reader.hpp"
#include "process_reader.hpp"

namespace {

using kubexx::agent::Attribution;
using kubexx::agent::NodePods;

// [begin look_up]
/// What the line is a name of is tried from the most exact to the least.
Attribution look_up(const NodePods& pods, std::string_view line) {
  if (line.find('/') != std::string_view::npos && line.find("://") == std::string_view::npos)
    return pods.find_by_cgroup(line);
  if (auto container = pods.find_by_container_id(line)) return container;
  if (auto pod = pods.find_by_uid(line)) return pod;
  return pods.find_by_ip(line);
}
// [end look_up]

/// Whoever wrote the line must not steer the terminal.
std::string printable(std::string line) {
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  }
  return line;
}

void print(std::string_view line, const NodePods& pods) {
  std::cout << printable(std::string(line)) << '\t';
  const auto found = look_up(pods, line);
  if (!found) {
    std::cout << (pods.is_node_address(line) ? "the node" : "-") << std::endl;
    return;
  }
  std::cout << found.namespace_() << '/' << found.name() << '\t'
            << (found.container().empty() ? "-" : found.container()) << '\t';
  if (const auto owner = found.owner()) {
    std::cout << owner.kind << '/' << owner.name << (found.owner_known() ? "" : "?");
  } else {
    std::cout << '-';
  }
  std::cout << '\t';
  const char* comma = "";
  for (const auto& [key, value] : found.labels())
    std::cout << std::exchange(comma, ",") << key << '=' << value.string();
  std::cout << (found.ended() ? "\tended" : "") << std::endl;
}

struct Flags {
  kubexx::rest::LoadOptions place;
  kubexx::agent::NodePodsOptions pods;
  std::string listen;  // for probes and metrics; empty: nowhere
  std::string proc = "/proc";
  std::chrono::seconds processes{0};  // between two looks at all processes; 0: standard input is read
};

int fail(const kubexx::Error& error) {
  std::cerr << error << '\n';
  return error.is_canceled() ? 0 : 1;
}

int run(const Flags& flags) {
  const auto stop = kubexx::stop_on_signals();
  auto config = kubexx::rest::Config::load(flags.place);
  if (!config) return fail(config.error());
  auto client = kubexx::rest::Client::create(*config);
  if (!client) return fail(client.error());
  auto pods = NodePods::create(*client, flags.pods);
  if (!pods) return fail(pods.error());
  std::unique_ptr<kubexx::inspect::Server> page;
  if (!flags.listen.empty()) {
    auto started = kubexx::inspect::Server::start({.listen = flags.listen, .allow_remote = true});
    if (!started) return fail(started.error());
    page = std::move(*started);
    page->add((*pods)->informer());
  }
  (*pods)->start(stop);
  if (auto synced = (*pods)->wait_until_synced({.stop = stop}); !synced) return fail(synced.error());

  const auto print_all = [&](auto source) {
    while (const auto line = source.next()) print(*line, **pods);
  };
  if (flags.processes > std::chrono::seconds(0))
    print_all(node_agent::ProcessReader(flags.proc, flags.processes, stop));
  else
    print_all(node_agent::LineReader(stop));
  return 0;
}

/// False: that is no flag, or not its value.
bool take(Flags& flags, std::string_view flag, std::string_view value) {
  if (flag == "--node") {
    flags.pods.node_name = value;
  } else if (flag == "--service-account") {
    flags.place.in_cluster.folder = value;
  } else if (flag == "--listen") {
    flags.listen = value;
  } else if (flag == "--proc") {
    flags.proc = value;
  } else if (flag == "--processes") {
    int seconds = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), seconds);
    flags.processes = std::chrono::seconds(seconds);
    return read.ptr == value.data() + value.size() && seconds > 0 && seconds <= 86'400;
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  bool understood = argc % 2 == 1;
  for (int i = 1; i + 1 < argc; i += 2) understood = understood && take(flags, argv[i], argv[i + 1]);
  if (understood) return run(flags);
  std::cerr << "usage: node_agent [--node NAME] [--service-account FOLDER] [--listen ADDRESS:PORT]\n"
               "                  [--processes SECONDS [--proc FOLDER]]\n";
  return 2;
}
