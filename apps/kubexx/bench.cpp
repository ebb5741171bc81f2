#include <cstdio>
#include <memory>
#include <mutex>
#include <sstream>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"
#include "process_usage.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "targets.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

struct Flags {
  Connection connection;
  Selection selection;
  std::string resource;
  std::string mode = "watchlist";
  std::string content_type;
  std::string projection;
  std::size_t page_size = 0;
  std::string for_;
  std::string output;
};

constexpr std::string_view kMetadata = "metadata";  // what the server is asked for; no projection of ours

Result<meta::Projection> projection_of(const std::string& text) {
  if (text.empty() || text == kMetadata) return meta::Projection();
  if (text == "full") return meta::Projection::full();
  std::vector<std::string> paths;
  std::istringstream in(text);
  for (std::string path; std::getline(in, path, ',');) paths.push_back(path);
  return meta::Projection::paths(std::move(paths));
}

/// What a sync cost. Times, faults, switches and bytes are those of the sync alone; memory is the process's.
struct Figures {
  std::size_t objects = 0;
  double wall_seconds = 0;
  ProcessUsage usage;
  std::uint64_t rss = 0;
  std::uint64_t peak_rss = 0;
  std::size_t cache = 0;
  double received = 0;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

std::string json_of(const Figures& figures) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += text.empty() ? '{' : ',';
    meta::append_json_string(text, name);
    text += ':' + value;
  };
  add("objects", std::to_string(figures.objects));
  add("wallSeconds", number(figures.wall_seconds));
  add("cpuUser", number(figures.usage.cpu_user));
  add("cpuSystem", number(figures.usage.cpu_system));
  add("rssBytes", std::to_string(figures.rss));
  add("peakRssBytes", std::to_string(figures.peak_rss));
  add("cacheBytes", std::to_string(figures.cache));
  add("pageFaults", std::to_string(figures.usage.page_faults));
  add("contextSwitches", std::to_string(figures.usage.context_switches));
  add("bytesReceived", std::to_string(static_cast<std::uint64_t>(figures.received)));
  return text + "}\n";
}

std::string table_of(const std::string& title, const Figures& figures) {
  const auto seconds = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", value);
    return std::string(text);
  };
  const auto bytes = [](std::uint64_t value) { return human_bytes(static_cast<double>(value)); };
  const auto each = [&](double whole) {
    return figures.objects == 0 ? "" : human_bytes(whole / static_cast<double>(figures.objects));
  };
  const std::vector<TableText::Cells> rows = {
      {title, "", "PER OBJECT"},
      {"objects", grouped(figures.objects), ""},
      {"time", seconds(figures.wall_seconds), ""},
      {"CPU time, user", seconds(figures.usage.cpu_user), ""},
      {"CPU time, system", seconds(figures.usage.cpu_system), ""},
      {"resident memory", bytes(figures.rss), each(static_cast<double>(figures.rss))},
      {"at most", bytes(figures.peak_rss), each(static_cast<double>(figures.peak_rss))},
      {"the cache's part", bytes(figures.cache), each(static_cast<double>(figures.cache))},
      {"page faults", grouped(figures.usage.page_faults), ""},
      {"context switches", grouped(figures.usage.context_switches), ""},
      {"received, unpacked", human_bytes(figures.received), each(figures.received)},
  };
  TableText table;
  for (const auto& row : rows) table.widen(row);
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? styled(table.line(row), kBold) : table.line(row)) + '\n';
  return text;
}

/// One informer from its start until it is synced.
class Sync {
 public:
  Sync(const Flags& flags, rest::Client client) : flags_(flags), client_(std::move(client)), end_{stop_on_signals()} {}

  int run() {
    client::ResourceMapper mapper(client_);
    const auto resource = resolve_resource(mapper, flags_.resource);
    if (!resource) return fail(resource.error());
    const auto protobuf = in_protobuf(*resource);
    if (!protobuf) return fail(protobuf.error());

    const auto figures = measure(resource->resource, scope_of(*resource), *protobuf);
    if (!figures) return fail(figures.error());
    const auto title = cell_text(resource->resource.group_resource().to_string()) + ", " + flags_.mode + ", " +
                       (*protobuf ? "protobuf" : "json");
    out().write(flags_.output == "json" ? json_of(*figures) : table_of(title, *figures));
    return 0;
  }

 private:
  /// What informers of the typed API ask for, unless the flag says otherwise.
  Result<bool> in_protobuf(const client::ApiResource& resource) const {
    const auto* known = codec::find_resource(resource.resource);
    const bool has_it = known && known->protobuf;
    if (flags_.content_type.empty()) return has_it;
    if (flags_.content_type == "protobuf" && !has_it) {
      return Error::config(resource.resource.group_resource().to_string() +
                           " has no protobuf that this program knows: --content-type json");
    }
    return flags_.content_type == "protobuf";
  }

  informer::Scope scope_of(const client::ApiResource& resource) const {
    informer::Scope scope;
    scope.cluster_wide = !resource.namespaced;
    scope.namespaces = {flags_.selection.namespace_of(client_)};
    scope.label_selector = meta::LabelSelector::parse(flags_.selection.label_selector).value();
    scope.field_selector = meta::FieldSelector::parse(flags_.selection.field_selector).value();
    scope.projection = projection_of(flags_.projection).value();
    scope.metadata_only = flags_.projection == kMetadata;
    return scope;
  }

  informer::FactoryOptions factory_options() {
    informer::FactoryOptions options;
    options.defaults.watch_list = flags_.mode == "watchlist";
    options.defaults.page_size = static_cast<std::int64_t>(flags_.page_size);
    // A sync that failed once and was tried again would measure the wait.
    options.defaults.watch_error_handler = [this](const reflector::WatchError& failed) {
      const std::lock_guard lock(mutex_);
      if (!synced_ && !failure_) failure_ = failed.error;
      if (!synced_) end_.request_stop();
    };
    return options;
  }

  Result<Figures> measure(const meta::GroupVersionResource& resource, const informer::Scope& scope, bool protobuf) {
    forget_peak_memory();
    const auto received = received_bytes(client_);
    const auto usage = ProcessUsage::now();
    const auto started = Clock::system().now();
    const std::unique_ptr<informer::SharedInformerFactory> factory =
        protobuf ? std::make_unique<informer::SharedInformerFactory>(client_, factory_options())
                 : std::make_unique<informer::DynamicSharedInformerFactory>(client_, factory_options());
    const auto informer = factory->for_resource(resource, scope);
    if (!informer) return informer.error();
    factory->start(end_.token());
    if (const auto failure = wait(*factory)) return *failure;
    if (!flags_.for_.empty() && wait_for_stop(end_.token(), parse_duration(flags_.for_).value())) {
      return Error::canceled("stopped");
    }

    Figures figures;
    figures.wall_seconds = std::chrono::duration<double>(Clock::system().now() - started).count();
    figures.usage = ProcessUsage::now() - usage;
    figures.rss = process_memory("VmRSS");
    figures.peak_rss = process_memory("VmHWM");
    figures.received = received_bytes(client_) - received;
    const auto status = informer->shared()->status();
    figures.objects = status.objects;
    figures.cache = status.bytes;
    if (flags_.mode == "watchlist" && !status.reflector.used_watch_list) {
      note("kubexx: the server has no WatchList for this: it was asked for a list");
    }
    return figures;
  }

  /// Until the cache is synced; why it is not, otherwise.
  std::optional<Error> wait(const informer::SharedInformerFactory& factory) {
    informer::SyncOptions options;
    options.fail_fast = true;
    const auto result = factory.wait_for_cache_sync(end_.token(), options);
    const std::lock_guard lock(mutex_);
    synced_ = result.synced();
    if (synced_) return std::nullopt;
    if (failure_) return failure_;
    return result.stopped_by ? *result.stopped_by : Error::config("the cache does not sync");
  }

  const Flags& flags_;
  rest::Client client_;
  LinkedStop end_;
  std::mutex mutex_;
  bool synced_ = false;           // guarded by mutex_
  std::optional<Error> failure_;  // guarded by mutex_; of the first attempt
};

void add_sync(Command group) {
  auto flags = std::make_shared<Flags>();
  auto command = group.subcommand("sync", "What filling a cache costs: time, CPU, memory, bytes");
  command.footer(
      "Examples:\n"
      "  kubexx bench sync pods -A                                      as an informer of this library does it\n"
      "  kubexx bench sync pods -A --mode list --content-type json      another way to ask\n"
      "  kubexx bench sync pods -A --projection spec.nodeName -o json   with a part of the objects; for programs");
  command.option("RESOURCE", &flags->resource, "A resource, as in kubectl get").required();
  flags->selection.add_to(command, flags->connection);
  command.option("--mode", &flags->mode, "How the first state is asked for: list|watchlist")
      .choices({"list", "watchlist"})
      .type_name("MODE")
      .show_default();
  command
      .option("--content-type", &flags->content_type,
              "How objects come: json|protobuf; default: protobuf where the kind has it")
      .choices({"json", "protobuf"})
      .type_name("TYPE");
  command
      .option("--projection", &flags->projection,
              "What is kept: full, metadata (nothing else is asked for), or fields like spec.nodeName,status; default: "
              "all but managedFields")
      .type_name("WHAT");
  command.option("--page-size", &flags->page_size, "Objects a page of a list; 0: as an informer chooses")
      .show_default()
      .range(0, 1'000'000);
  command.option("--for", &flags->for_, "Follow the changes for so long after the sync, and count that too (20s, 2m)")
      .check(wrong_duration);
  add_output(command, flags->output, {"json"});
  flags->connection.add_to(command);
  command.on_run([flags] {
    if (const auto good = flags->selection.check(); !good) return misuse(good.error().message());
    if (const auto kept = projection_of(flags->projection); !kept)
      return misuse("--projection: " + kept.error().message());
    auto client = flags->connection.connect();
    if (!client) return fail(client.error());
    return Sync(*flags, std::move(*client)).run();
  });
}

}  // namespace

void add_bench(Command program) {
  auto command = program.subcommand("bench", "Measurements against a server");
  command.footer("Examples:\n  kubexx bench sync pods -A        kubexx bench sync --help shows the flags");
  command.wants_subcommand();
  add_sync(command);
}

}  // namespace kubexx::app
