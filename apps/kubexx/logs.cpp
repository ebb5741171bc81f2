#include "kubexx/logs/log_streams.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/time.hpp"
#include "meta/internal/nano_time.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

constexpr int kNoTail = -1;
constexpr int kTailOfSelected = 10;  // as kubectl
const meta::GroupVersionResource kPods{"", "v1", "pods"};

struct Flags {
  Connection connection;
  Selection selection;
  std::string pod;
  std::string container;
  bool all_containers = false;
  bool follow = false;
  std::string since;
  std::string since_time;
  int tail = kNoTail;
  bool timestamps = false;
  bool previous = false;
  bool prefix = false;
  std::size_t max_requests = logs::LogStreamsOptions().max_streams;

  bool selects() const { return pod.empty(); }
  /// What does not go together; empty: nothing.
  std::string wrong() const {
    const bool selected = !selection.label_selector.empty() || !selection.field_selector.empty();
    if (pod.empty() && !selected) return "which pod? a name, or -l with a selector";
    if (!pod.empty() && selected) return "a name and a selector do not go together";
    if (!pod.empty() && selection.all_namespaces) return "a name and --all-namespaces do not go together";
    if (!container.empty() && all_containers) return "--container and --all-containers do not go together";
    if (!since.empty() && !since_time.empty()) return "--since and --since-time do not go together";
    if (previous && follow) return "--previous and --follow do not go together";
    return "";
  }
};

std::string wrong_time(const std::string& text) {
  const auto time = meta::Time::parse(text);
  return time ? "" : time.error().message();
}

/// What a terminal may show of a line: as printable(), but for tabs and colors.
std::string for_terminal(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto special = std::min(text.find_first_of("\t\x1b"), text.size());
    shown += printable(text.substr(0, special));
    text.remove_prefix(special);
    if (text.empty()) break;
    std::size_t size = 1;
    if (text.starts_with("\x1b[")) size = std::min(text.find_first_not_of("0123456789;", 2), text.size() - 1) + 1;
    const bool harmless = text.front() == '\t' || (size > 2 && text[size - 1] == 'm');
    if (!harmless) size = 1;
    shown += harmless ? std::string(text.substr(0, size)) : printable(text.substr(0, 1));
    text.remove_prefix(size);
  }
  return shown;
}

/// The one that is meant where none is named, as kubectl has it.
std::string_view default_container(const meta::Object& pod) {
  const auto named = pod.annotations()["kubectl.kubernetes.io/default-container"].string();
  return named.empty() ? pod["spec"]["containers"][0]["name"].string() : named;
}

std::vector<std::string> container_names(const meta::Object& pod) {
  std::vector<std::string> names;
  for (const char* field : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const meta::Value entry : pod["spec"][field].items()) names.emplace_back(entry["name"].string());
  }
  return names;
}

class Logs {
 public:
  Logs(const Flags& flags, rest::Client client, std::stop_token stop)
      : flags_(flags),
        client_(std::move(client)),
        pods_(client_, kPods, flags.selection.namespace_of(client_)),
        terminal_(stdout_is_terminal()),
        stop_(stop),
        end_{stop, out().broken()} {}

  int run() {
    const auto found = find_pods();
    if (!found) return fail(found.error());
    if (flags_.follow) return follow();
    if (found->empty()) {
      note(flags_.selection.all_namespaces ? "No resources found"
                                           : "No resources found in " + pods_.namespace_() + " namespace.");
    }
    int code = 0;
    for (const auto& pod : *found) {
      for (const auto& container : container_names(pod)) {
        if (!wants(pod, container)) continue;
        const auto read = print(pod, container);
        if (end_.token().stop_requested()) return stop_.stop_requested() ? fail(Error::canceled()) : code;
        if (!read) code = fail_and_go_on(read.error());
      }
    }
    return code;
  }

 private:
  /// What there is now. Also for those who follow: a server that refuses is known before it is waited for.
  Result<std::vector<meta::Object>> find_pods() const {
    if (!flags_.selects()) {
      const auto pod = pods_.get(flags_.pod, {.stop = stop_});
      if (!pod) return pod.error();
      if (auto chosen = check_container(*pod); !chosen) return chosen.error();
      return std::vector<meta::Object>{*pod};
    }
    client::ListOptions query;
    query.label_selector = flags_.selection.label_selector;
    query.field_selector = flags_.selection.field_selector;
    query.stop = stop_;
    if (flags_.follow) query.limit = 1;
    auto list = flags_.follow ? pods_.list(query) : pods_.list_all(query);
    if (!list) return list.error();
    return std::move(list->items);
  }

  Result<void> check_container(const meta::Object& pod) const {
    const auto names = container_names(pod);
    if (!flags_.container.empty() && std::find(names.begin(), names.end(), flags_.container) == names.end()) {
      return Error::config("container " + flags_.container + " is not valid for pod " + flags_.pod);
    }
    return {};
  }

  bool wants(const meta::Object& pod, std::string_view container) const {
    if (flags_.all_containers) return true;
    return container == (flags_.container.empty() ? default_container(pod) : flags_.container);
  }

  std::optional<WallTime> since() const {
    if (!flags_.since.empty()) return Clock::system().wall() - *parse_duration(flags_.since);
    if (!flags_.since_time.empty()) return meta::parse_nano_text(flags_.since_time);
    return std::nullopt;
  }

  std::optional<std::int64_t> tail() const {
    if (flags_.tail != kNoTail) return flags_.tail;
    if (flags_.selects()) return kTailOfSelected;
    return std::nullopt;
  }

  std::string prefix_of(std::string_view pod, std::string_view container) const {
    if (!flags_.prefix) return "";
    return styled("[pod/" + printable(pod) + "/" + printable(container) + "]", kCyan) + " ";
  }

  bool write(std::string_view prefix, std::string_view time, std::string_view text) const {
    std::string line(prefix);
    line.append(time).append(terminal_ ? for_terminal(text) : std::string(text)).append("\n");
    return out().write(line);
  }

  Result<void> print(const meta::Object& pod, const std::string& container) const {
    client::LogOptions query;
    query.container = container;
    query.previous = flags_.previous;
    query.timestamps = flags_.timestamps;
    query.tail_lines = tail();
    if (const auto from = since()) query.since_time = meta::Time::from_wall(*from).to_string();
    query.stop = end_.token();
    const auto prefix = prefix_of(pod.name(), container);
    const client::ResourceApi api = pods_.namespaced(std::string(pod.namespace_()));
    return api.stream_log_lines(pod.name(), query, [&](std::string_view line) { return write(prefix, "", line); })
        .context("pod/" + std::string(pod.name()) + " " + container);
  }

  Result<logs::LogStreamsOptions> streams_options() const {
    logs::LogStreamsOptions options;
    if (!flags_.selection.all_namespaces) options.scope.namespaces = {pods_.namespace_()};
    auto labels = meta::LabelSelector::parse(flags_.selection.label_selector);
    if (!labels) return labels.error();
    auto fields = meta::FieldSelector::parse(flags_.selection.field_selector);
    if (!fields) return fields.error();
    if (!flags_.selects()) *fields = fields->with({.field = "metadata.name", .value = flags_.pod});
    options.scope.label_selector = std::move(*labels);
    options.scope.field_selector = std::move(*fields);
    options.wants = [this](const meta::Object& pod, std::string_view container) { return wants(pod, container); };
    options.since = since();
    options.tail_lines = tail();
    options.max_streams = flags_.max_requests;
    return options;
  }

  int follow() {
    auto options = streams_options();
    if (!options) return fail(options.error());
    options->on_line = [this](const logs::LogLine& line) {
      const auto time = flags_.timestamps ? meta::to_nano_text(line.time) + " " : "";
      write(prefix_of(line.origin.pod, line.origin.container), time, line.text);
    };
    options->on_problem = [](const logs::LogOrigin& origin, const Error& error) {
      note("kubexx: pod/" + origin.pod + " " + origin.container + ": " + error.message() + "; trying again");
    };
    auto streams = logs::LogStreams::create(client_, std::move(*options));
    if (!streams) return fail(streams.error());
    (*streams)->start(end_.token());
    const std::jthread looking([&] { look_after(**streams); });
    wait_for_end(end_.token());
    end_.request_stop();
    return 0;
  }

  /// Says what a person should know, and ends it when the one pod that is followed brings nothing more.
  void look_after(logs::LogStreams& streams) {
    std::string told;
    bool told_of_waiting = false;
    while (!wait_for_stop(end_.token(), std::chrono::milliseconds(200))) {
      const auto status = streams.status();
      if (status.last_error && status.last_error->message() != told) {
        told = status.last_error->message();
        note("kubexx: pods: " + told + "; trying again");
      }
      if (status.waiting > 0 && !std::exchange(told_of_waiting, true)) {
        note("kubexx: " + std::to_string(status.waiting) + " containers wait: --max-log-requests is " +
             std::to_string(flags_.max_requests));
      }
      const bool all_read = status.synced && status.containers == 0 && status.waiting_bytes == 0;
      if (!flags_.selects() && all_read) end_.request_stop();
    }
  }

  const Flags& flags_;
  const rest::Client client_;
  const client::ResourceApi pods_;
  const bool terminal_;
  const std::stop_token stop_;
  LinkedStop end_;
};

}  // namespace

void add_logs(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("logs", "Print the logs of pods, and follow them as pods come and go");
  command.footer(
      "Examples:\n"
      "  kubexx logs web-1                            what its container wrote\n"
      "  kubexx logs web-1 -c proxy --previous        ... before it started again\n"
      "  kubexx logs -l app=web --follow --prefix     all pods that match, those to come too\n"
      "  kubexx logs -l app=web -A --all-containers --since 10m --timestamps");
  command.option("POD", &flags->pod, "Name of a pod");
  flags->selection.add_to(command, flags->connection);
  command.option("-c,--container", &flags->container, "Container; default: the one its pod names, or the first");
  command.flag("--all-containers", &flags->all_containers, "All containers of the pods");
  command.flag("-f,--follow", &flags->follow, "Go on with what is written, over restarts and lost connections");
  command.option("--since", &flags->since, "Nothing older than so long ago (20s, 5m)").check(wrong_duration);
  command.option("--since-time", &flags->since_time, "Nothing older than this (2026-01-31T08:00:00Z)")
      .check(wrong_time);
  command.option("--tail", &flags->tail, "Only so many of the last lines; default: all (-1), with a selector 10")
      .range(-1, 1e9);
  command.flag("--timestamps", &flags->timestamps, "Each line with its time");
  command.flag("-p,--previous", &flags->previous, "The log from before the container started again");
  command.flag("--prefix", &flags->prefix, "Each line with its pod and container");
  command.option("--max-log-requests", &flags->max_requests, "Logs followed at once; others wait")
      .range(1, 10'000)
      .show_default();
  flags->connection.add_to(command);
  command.on_run([flags] {
    if (flags->pod.starts_with("pod/")) flags->pod.erase(0, 4);
    if (flags->pod.starts_with("pods/")) flags->pod.erase(0, 5);
    if (const auto wrong = flags->wrong(); !wrong.empty()) return misuse(wrong);
    if (const auto good = flags->selection.check(); !good) return misuse(good.error().message());
    auto client = flags->connection.connect();
    if (!client) return fail(client.error());
    const int code = Logs(*flags, std::move(*client), stop_on_signals()).run();
    return flags->follow ? until_stopped(code) : code;
  });
}

}  // namespace kubexx::app
