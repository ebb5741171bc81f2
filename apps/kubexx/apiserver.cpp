#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/internal/file.hpp"
#include "command.hpp"
#include "demo_cluster.hpp"
#include "kubexx/apiserver/server.hpp"
#include "kubexx/apiserver/workload.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::app {
namespace {

struct Flags {
  apiserver::Options options;
  std::string kubeconfig_out;
  std::vector<std::string> runtime_config;
  std::vector<std::string> users;
  std::string objects;
  std::size_t workload = 0;
  double workload_rate = 2;
  bool cleartext = false;
  bool no_auth = false;
};

/// "NAME:TOKEN:ROLE"
Result<apiserver::User> parse_user(const std::string& text) {
  const auto first = text.find(':');
  // Without the token, and without what may be one.
  const auto bad = [&](const std::string& why) {
    return Error::config("--user " + (first == std::string::npos ? "" : text.substr(0, first)) + ": " + why);
  };
  const auto second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) return bad("NAME:TOKEN:ROLE is wanted");
  apiserver::User user;
  user.name = text.substr(0, first);
  user.token = text.substr(first + 1, second - first - 1);
  if (user.name.empty() || user.token.empty()) return bad("name and token may not be empty");
  const auto role = text.substr(second + 1);
  if (role == "none") {
    user.role = apiserver::Role::None;
  } else if (role == "read-only") {
    user.role = apiserver::Role::ReadOnly;
  } else if (role == "admin") {
    user.role = apiserver::Role::Admin;
  } else if (role.starts_with("namespace=") && role.size() > 10) {
    user.role = apiserver::Role::NamespaceBound;
    user.namespace_ = role.substr(10);
  } else {
    return bad("the role is one of none, read-only, namespace=NS, admin");
  }
  return user;
}

/// The lines of a file, none of them longer than an object may be.
class Lines {
 public:
  Lines(InputFile file, std::stop_token stop) : file_(std::move(file)), stop_(std::move(stop)) {}

  /// The next line, without its end; none when the file is at its end.
  Result<std::optional<std::string>> next() {
    auto end = buffer_.find('\n', begin_);
    while (end == std::string::npos) {
      buffer_.erase(0, std::exchange(begin_, 0));
      if (buffer_.size() > meta::DecodeOptions().max_bytes) return Error::config("the line is too long");
      std::array<char, 1 << 16> bytes;
      const auto count = file_.read(bytes, Clock::system().now() + std::chrono::seconds(10), stop_);
      if (!count) return count.error();
      if (*count == 0) {
        if (buffer_.empty()) return std::optional<std::string>();
        return std::optional(std::exchange(buffer_, {}));
      }
      const auto searched = buffer_.size();
      buffer_.append(bytes.data(), *count);
      end = buffer_.find('\n', searched);
    }
    auto line = buffer_.substr(begin_, end - begin_);
    begin_ = end + 1;
    return std::optional(std::move(line));
  }

 private:
  InputFile file_;
  std::stop_token stop_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the next line in it
};

/// One JSON document a line, as `kubexx get -o jsonl` prints them.
Result<void> seed_from(apiserver::Server& server, const std::string& path, const std::stop_token& stop) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  Lines lines(std::move(*file), stop);
  std::size_t number = 0;
  int patience = 0;
  while (true) {
    const auto where = path + ":" + std::to_string(++number);
    auto next = lines.next();
    if (!next) return next.error().with_context(where);
    const std::optional<std::string>& line = *next;
    if (!line) return {};
    if (line->empty()) continue;
    const auto object = meta::parse_json(*line);
    if (!object) return object.error().with_context(where);
    auto stored = server.seed(*object);
    for (; !stored && patience > 0 && !stop.stop_requested(); --patience) {
      wait_for_stop(stop, std::chrono::milliseconds(20));
      stored = server.seed(*object);
    }
    if (!stored) return stored.error().with_context(where);
    if (object->kind() == "CustomResourceDefinition") patience = 100;  // it takes a moment to be served
  }
}

int serve(Flags& flags) {
  for (const auto& setting : flags.runtime_config) {
    if (setting != "api/all" && setting != "api/all=true") {
      return misuse("--runtime-config knows api/all, not " + setting);
    }
    flags.options.api_all = true;
  }
  for (const auto& text : flags.users) {
    auto user = parse_user(text);
    if (!user) return misuse(user.error().message());
    flags.options.users.push_back(*user);
  }
  flags.options.tls = !flags.cleartext;
  flags.options.authentication =
      !flags.no_auth && (!flags.cleartext || !flags.options.admin_token.empty() || !flags.users.empty());
  const auto stop = stop_on_signals();
  const auto actors = std::make_shared<ThreadExecutor>();
  auto server = apiserver::Server::start(flags.options);
  if (!server) return fail(server.error());
  if (!flags.objects.empty()) {
    if (const auto seeded = seed_from(**server, flags.objects, stop); !seeded) return fail(seeded.error());
  }
  std::unique_ptr<apiserver::Workload> workload;
  if (flags.workload > 0) {
    apiserver::WorkloadOptions options;
    options.pods = flags.workload;
    options.nodes = std::max<std::size_t>(3, flags.workload / 30);
    options.changes_per_second = flags.workload_rate;
    workload = std::make_unique<apiserver::Workload>((*server)->core(), actors, options);
  }
  if (!flags.kubeconfig_out.empty()) {
    if (auto written = (*server)->write_kubeconfig(flags.kubeconfig_out); !written) return fail(written.error());
  }
  out().write("serving on " + (*server)->url() + '\n');
  wait_for_stop(stop);
  workload.reset();
  (*server)->stop();
  return 0;
}

}  // namespace

void add_apiserver(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("apiserver", "Serve a Kubernetes API from memory, on loopback");
  command.footer(
      "Examples:\n"
      "  kubexx apiserver --kubeconfig-out /tmp/kc &\n"
      "  kubectl --kubeconfig /tmp/kc get namespaces\n"
      "  kubexx apiserver --workload 100 --workload-rate 20 --kubeconfig-out /tmp/kc    with pods that come and go\n"
      "  kubexx get pods -A -o jsonl > pods && kubexx apiserver --objects pods --kubeconfig-out /tmp/kc    a copy\n"
      "  kubexx apiserver --user bob:secret:read-only --kubeconfig-out /tmp/kc          and a user who may only read");
  command.option("--address", &flags->options.address, "Address to listen on").show_default();
  command.option("--port", &flags->options.port, "Port to listen on; 0 picks one").show_default();
  command.flag("--cleartext", &flags->cleartext,
               "Serve http instead of https; clients send no credentials there, so whoever comes is admin");
  command.option("--kubeconfig-out", &flags->kubeconfig_out, "Write a kubeconfig to this file once it serves");
  command.option("--runtime-config", &flags->runtime_config,
                 "api/all serves every version in the schema, old ones too");
  command.option("--token", &flags->options.admin_token, "Token of the admin; default: a random one");
  command.option("--user", &flags->users,
                 "A further user, NAME:TOKEN:ROLE; roles are none, read-only, namespace=NS, admin; may be repeated");
  command.flag("--no-auth", &flags->no_auth, "Whoever comes is admin");
  command.option("--allowed-host", &flags->options.allowed_hosts,
                 "Without authentication on loopback: a further host name to answer to; may be repeated");
  command.option("--objects", &flags->objects, "Objects to begin with: a file of one JSON document a line");
  command.option("--workload", &flags->workload, "Keep about so many pods moving in the namespace demo")
      .range(0, kMaxPods);
  command.option("--workload-rate", &flags->workload_rate, "Their changes a second").show_default().range(0, 100'000);
  command.flag("--fault-path", &flags->options.fault_path, "Serve /kubexx/faults, to disturb clients on purpose");
  command.on_run([flags] { return until_stopped(serve(*flags)); });
}

}  // namespace kubexx::app
