#include <algorithm>
#include <memory>
#include <thread>

#include "command.hpp"
#include "event_lines.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"
#include "live_table.hpp"
#include "progress.hpp"
#include "status_lines.hpp"
#include "targets.hpp"
#include "terminal.hpp"

namespace kubexx::app {
namespace {

struct Flags {
  Connection connection;
  Selection selection;
  std::vector<std::string> words;
  std::string output;
  bool diff = false;
  bool metadata_only = false;
  bool show_labels = false;
  bool managed_fields = false;
  bool dump_cache = false;
  bool no_watch_list = false;
};

using Informers = std::vector<std::shared_ptr<informer::SharedIndexInformer>>;

/// Says on standard error why a cache does not follow, once a reason, until the token fires.
void complain(const Informers& informers, const std::stop_token& stop) {
  std::vector<std::string> last(informers.size());
  while (!wait_for_stop(stop, std::chrono::milliseconds(500))) {
    for (std::size_t i = 0; i < informers.size(); ++i) {
      const auto status = informers[i]->status();
      const auto& error = status.reflector.last_error;
      if (!error || error->is_canceled() || error->message() == last[i]) continue;
      last[i] = error->message();
      note("kubexx: " + status.description + ": " + last[i] + "; trying again");
    }
  }
}

void dump(const Informers& informers) {
  std::string line = R"({"cache":{)";
  bool first = true;
  for (const auto& informer : informers) {
    informer->store()->snapshot().for_each_with_key([&](std::string_view key, const meta::Object& object) {
      if (!first) line += ',';
      first = false;
      meta::append_json_string(line, key);
      line += ':';
      meta::append_json_string(line, object.resource_version());
    });
  }
  out().write(line + "}}\n");
}

class Watch {
 public:
  Watch(const Flags& flags, rest::Client client, std::stop_token stop)
      : flags_(flags),
        client_(std::move(client)),
        format_(to_format(flags.output)),
        live_((format_ == Format::Table || format_ == Format::Wide) && !flags.diff && stdout_is_terminal()),
        end_{stop, out().broken()} {}

  int run() {
    client::ResourceMapper mapper(client_);
    const auto targets = resolve_targets(mapper, flags_.words, false);
    if (!targets) return fail(targets.error());
    informer::DynamicSharedInformerFactory factory(client_, factory_options());
    for (const auto& target : *targets) {
      const auto scope = scope_of(target);
      if (!scope) return fail(scope.error());
      auto informer = factory.for_resource(target.resource.resource, *scope);
      if (!informer) return fail(informer.error());
      informers_.push_back(informer->shared());
    }
    return live_ ? show(factory, *targets) : print(factory, *targets);
  }

 private:
  informer::FactoryOptions factory_options() {
    informer::FactoryOptions options;
    options.defaults.watch_list = !flags_.no_watch_list;
    options.defaults.scope.namespaces = {flags_.selection.namespace_of(client_)};
    options.defaults.scope.metadata_only = flags_.metadata_only;
    if (flags_.managed_fields) options.defaults.scope.projection = meta::Projection::full();
    return options;
  }

  Result<informer::Scope> scope_of(const Target& target) const {
    auto labels = meta::LabelSelector::parse(flags_.selection.label_selector);
    if (!labels) return labels.error().with_context("label selector");
    auto fields = meta::FieldSelector::parse(flags_.selection.field_selector);
    if (!fields) return fields.error().with_context("field selector");
    if (!target.name.empty()) *fields = fields->with({.field = "metadata.name", .value = target.name});
    informer::Scope scope;
    scope.cluster_wide = !target.resource.namespaced;
    scope.label_selector = std::move(*labels);
    scope.field_selector = std::move(*fields);
    return scope;
  }

  Printer printer_of(const Target& target, std::size_t targets) const {
    PrinterOptions options;
    options.wide = format_ == Format::Wide;
    options.metadata_only = flags_.metadata_only;
    options.namespaces = flags_.selection.all_namespaces && target.resource.namespaced;
    options.kind_prefix = targets > 1;
    options.show_labels = flags_.show_labels;
    return Printer::make(client_, target.resource, options);
  }

  /// Waits for the first lists; 401, 403 and 404 end the command.
  std::optional<Error> sync(const informer::SharedInformerFactory& factory) {
    informer::SyncOptions options;
    options.fail_fast = true;
    const auto result = factory.wait_for_cache_sync(end_.token(), options);
    if (result || end_.token().stop_requested()) return std::nullopt;
    return result.stopped_by ? *result.stopped_by : Error::config("the caches do not sync");
  }

  int show(informer::SharedInformerFactory& factory, const std::vector<Target>& targets) {
    Wakeup wake;
    std::vector<std::shared_ptr<LiveRows>> tables;
    std::vector<informer::Registration> registrations;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      tables.push_back(std::make_shared<LiveRows>(printer_of(targets[i], targets.size()), [&wake] { wake.notify(); }));
      registrations.push_back(informers_[i]->add_event_handler(tables.back()->handler()));
    }
    std::vector<std::optional<std::uint64_t>> totals;
    totals.reserve(targets.size());
    for (const auto& target : targets) {
      totals.push_back(
          count_on_server(client_, target.resource, flags_.selection.namespace_of(client_), flags_.selection));
    }
    class View final : public LiveTables {
     public:
      View(std::vector<std::shared_ptr<LiveRows>> rows, StatusLines status)
          : LiveTables(std::move(rows)), status_(std::move(status)) {}
      std::vector<std::string> head(Size size) override { return status_.lines(size.columns); }

     private:
      StatusLines status_;
    };
    View view(tables, StatusLines(client_, informers_, totals));
    factory.start(end_.token());
    std::optional<Error> failure;
    {
      const std::jthread syncing([&] {
        failure = sync(factory);
        if (failure) end_.request_stop();
        wake.notify();
      });
      run_live(view, wake, end_.token());
      end_.request_stop();
    }
    registrations.clear();
    factory.shutdown();
    return failure ? fail(*failure) : 0;
  }

  int print(informer::SharedInformerFactory& factory, const std::vector<Target>& targets) {
    TableLines tables;
    std::vector<std::shared_ptr<EventLines>> lines;
    std::vector<informer::Registration> registrations;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto& resource = targets[i].resource;
      Describe describe;
      EventLines::Prepare prepare;
      if (flags_.diff) {
        describe = describe_as_diff(resource, flags_.selection.all_namespaces);
      } else if (format_ == Format::JsonLines) {
        describe = describe_as_json_line(resource);
      } else if (format_ == Format::Table || format_ == Format::Wide) {
        const auto printer = std::make_shared<Printer>(printer_of(targets[i], targets.size()));
        describe = tables.describe(printer);
        prepare = [&tables, printer](const std::vector<Change>& changes) { tables.prepare(*printer, changes); };
      } else {
        describe = describe_as_object(format_, resource);
      }
      lines.push_back(
          std::make_shared<EventLines>(std::move(describe), format_ != Format::JsonLines, std::move(prepare)));
      registrations.push_back(informers_[i]->add_event_handler(lines.back()));
    }
    const std::jthread complaining([this] { complain(informers_, end_.token()); });
    factory.start();
    if (const auto failure = sync(factory)) {
      end_.request_stop();
      return fail(*failure);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (registrations[i].wait_until_synced(end_.token())) lines[i]->flush();
    }
    wait_for_end(end_.token());
    end_.request_stop();
    if (flags_.dump_cache) {  // every change that the cache has seen is a line before it
      for (const auto& informer : informers_) informer->stop_with_drain();
      for (const auto& informer : informers_) informer->join();
    }
    registrations.clear();
    factory.shutdown();
    if (flags_.dump_cache) dump(informers_);
    return 0;
  }

  const Flags& flags_;
  rest::Client client_;
  Format format_;
  bool live_;
  LinkedStop end_;
  Informers informers_;
};

}  // namespace

void add_watch(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("watch", "Keep a cache of resources and show it live; lines when piped");
  command.footer(
      "Examples:\n"
      "  kubexx watch pods -A                                  a live table; q or Ctrl-C ends it\n"
      "  kubexx watch pods,nodes foos -o wide                  several resources, custom ones too\n"
      "  kubexx watch deploy/web --diff                        what changes, path by path\n"
      "  kubexx watch configmaps -o jsonl --dump-cache         one line a handler call, for programs\n"
      "  kubexx watch secrets -A --metadata-only | grep cert   without their contents");
  command.option("RESOURCE", &flags->words, "Resources as in kubectl get, or KIND/NAME").required();
  flags->selection.add_to(command, flags->connection);
  add_output(command, flags->output, {"wide", "json", "yaml", "jsonl", "name"});
  command.flag("--diff", &flags->diff, "Print the changed paths of each update");
  command.flag("--metadata-only", &flags->metadata_only, "Ask for metadata only");
  command.flag("--show-labels", &flags->show_labels, "Add a column with the labels");
  command.flag("--show-managed-fields", &flags->managed_fields, "Keep managedFields");
  command.flag("--dump-cache", &flags->dump_cache,
               "With -o jsonl: at the end, the cache's keys and versions as one line");
  command.flag("--no-watch-list", &flags->no_watch_list, "List first instead of streaming the initial state");
  flags->connection.add_to(command);
  command.on_run([flags] {
    if (flags->diff && !flags->output.empty()) return misuse("--diff and --output do not go together");
    if (flags->dump_cache && flags->output != "jsonl") return misuse("--dump-cache goes with -o jsonl");
    if (const auto good = flags->selection.check(); !good) return misuse(good.error().message());
    auto client = flags->connection.connect();
    if (!client) return fail(client.error());
    return until_stopped(Watch(*flags, std::move(*client), stop_on_signals()).run());
  });
}

}  // namespace kubexx::app
