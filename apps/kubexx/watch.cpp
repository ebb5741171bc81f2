#include <csignal>
#include <iostream>
#include <memory>
#include <mutex>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"
#include "resources.hpp"

namespace kubexx::app {
namespace {

struct Flags {
  Connection connection;
  std::vector<std::string> resources;
  std::string selector;
  std::string field_selector;
  std::string output;
  bool all_namespaces = false;
  bool dump_cache = false;
  bool no_watch_list = false;
};

/// Lines from several handlers, whole, one at a time.
class Lines {
 public:
  void print(const std::string& line) {
    const std::lock_guard lock(mutex_);
    std::cout << line << std::endl;
    if (!std::cout) broken_.request_stop();
  }
  std::stop_token broken() const { return broken_.get_token(); }

 private:
  std::mutex mutex_;
  std::stop_source broken_;
};

std::string event_line(const char* event, const std::string& resource, const std::string& key, std::string_view version,
                       informer::EventCause cause) {
  std::string line = R"({"event":")" + std::string(event) + R"(","resource":)";
  meta::append_json_string(line, resource);
  line += R"(,"key":)";
  meta::append_json_string(line, key);
  line += R"(,"resourceVersion":)";
  meta::append_json_string(line, version);
  return line + R"(,"cause":")" + std::string(to_string(cause)) + "\"}";
}

informer::ResourceEventHandlerFuncs<> printing_handler(const std::shared_ptr<Lines>& lines,
                                                       const std::string& resource) {
  using informer::EventContext;
  informer::ResourceEventHandlerFuncs<> handler;
  handler.on_add = [lines, resource](const meta::Object& object, bool, const EventContext& context) {
    lines->print(event_line("add", resource, meta::ObjectKey::of(object).to_string(), object.resource_version(),
                            context.cause()));
  };
  handler.on_update = [lines, resource](const meta::Object&, const meta::Object& after, const EventContext& context) {
    lines->print(event_line("update", resource, meta::ObjectKey::of(after).to_string(), after.resource_version(),
                            context.cause()));
  };
  handler.on_delete = [lines, resource](const informer::Deleted<meta::Object>& gone, const EventContext& context) {
    lines->print(event_line("delete", resource, gone.key(), gone.last_known().resource_version(), context.cause()));
  };
  return handler;
}

void dump(const std::vector<std::shared_ptr<informer::SharedIndexInformer>>& informers) {
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
  std::cout << line << "}}" << std::endl;
}

int watch(const Flags& flags) {
  const auto stop = stop_on_signals();
  auto client = flags.connection.connect();
  if (!client) return fail(client.error());
  informer::FactoryOptions options;
  options.watch_list = !flags.no_watch_list;
  if (!flags.all_namespaces) options.namespace_ = client->config().default_namespace;
  options.tweak_list_options = [&flags](meta::ListOptions& query) {
    query.label_selector = flags.selector;
    query.field_selector = flags.field_selector;
  };
  const auto lines = std::make_shared<Lines>();
  informer::DynamicSharedInformerFactory factory(*client, options);
  std::vector<informer::Registration> registrations;
  for (const auto& text : flags.resources) {
    auto resource = resolve_resource(*client, text);
    if (!resource) return fail(resource.error());
    auto informer = factory.for_resource(resource->resource, {.cluster_wide = !resource->namespaced});
    if (!informer) return fail(informer.error());
    registrations.push_back(
        informer->informer().add_event_handler(printing_handler(lines, resource->resource.resource)));
  }
  LinkedStop ending{stop, lines->broken()};
  factory.start(ending.token());
  informer::SyncOptions sync;
  sync.fail_fast = true;
  const auto result = factory.wait_for_cache_sync(ending.token(), sync);
  if (!result && !ending.token().stop_requested()) {
    return fail(result.stopped_by ? *result.stopped_by : Error::config("no sync"));
  }
  wait_for_stop(ending.token());
  const auto informers = factory.informers();
  registrations.clear();
  factory.shutdown();
  if (flags.dump_cache && std::cout) dump(informers);
  return 0;
}

}  // namespace

void add_watch(CLI::App& parent, Run& run) {
  auto flags = std::make_shared<Flags>();
  auto* command = parent.add_subcommand("watch", "Keep a cache of resources and print every change");
  command->footer("Examples:\n  kubexx watch pods -A\n  kubexx watch configmaps -n default -o jsonl --dump-cache");
  command->add_option("RESOURCE", flags->resources, "Resources, as in kubectl get")->required();
  command->add_option("-n,--namespace", flags->connection.options.namespace_, "Namespace; default: the context's");
  command->add_flag("-A,--all-namespaces", flags->all_namespaces, "All namespaces");
  command->add_option("-l,--selector", flags->selector, "Label selector");
  command->add_option("--field-selector", flags->field_selector, "Field selector");
  command->add_option("-o,--output", flags->output, "jsonl: one line a handler call");
  command->add_flag("--dump-cache", flags->dump_cache, "At the end, print the cache's keys and versions as one line");
  command->add_flag("--no-watch-list", flags->no_watch_list, "List first instead of streaming the initial state");
  flags->connection.add_to(*command);
  command->callback([flags, &run] { run = [flags] { return watch(*flags); }; });
}

}  // namespace kubexx::app
