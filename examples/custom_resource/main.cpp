// custom_resource CRD_FILE: creates, watches, changes and removes an object of a kind of its own.
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "kubexx/base/stop.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/yaml.hpp"
#include "storage/v1.hpp"

using namespace kubexx;
using storage::v1::Database;

namespace {

/// Makes the definition known to the server, unless it is, and waits until it is served.
Result<void> install(const rest::Client& client, const char* file, const std::stop_token& stop) {
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto documents = meta::parse_yaml(text);
  if (!documents) return documents.error();
  if (documents->empty()) return Error::config(std::string(file) + " has no definition");
  const client::ResourceApi definitions(client, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  const auto created = definitions.create(documents->front(), {.stop = stop});
  if (!created && !created.error().is_already_exists()) return created.error();
  while (true) {
    const auto now = definitions.get(documents->front().name(), {.stop = stop});
    if (!now) return now.error();
    if (meta::is_condition_true(*now, "Established")) return {};
    if (wait_for_stop(stop, std::chrono::milliseconds(100))) return Error::canceled("stopped");
  }
}

/// Whole lines: the handlers print from another thread.
void print(const char* what, const Database& database) {
  const auto spec = database.spec();
  std::ostringstream line;
  line << what << ' ' << database.key() << ": " << spec.engine() << ", " << spec.gibibytes() << " GiB, backup '"
       << spec.backup().schedule() << "', phase '" << database.status().phase() << "'\n";
  std::cout << line.str() << std::flush;
}

Result<void> run(const rest::Client& client, const char* file, const std::stop_token& stop) {
  if (auto installed = install(client, file, stop); !installed) return installed.error().with_context("install");

  informer::SharedInformerFactory factory(client);
  const auto databases = factory.informer_for<Database>({.namespaces = {"default"}});
  const auto registration = databases.add_event_handler({
      .on_add = [](const Database& database) { print("+", database); },
      .on_update = [](const Database& database) { print("~", database); },
      .on_delete = [](const auto& gone) { std::cout << "- " << gone.key() << std::endl; },
  });
  factory.start(stop);
  if (const auto synced = factory.wait_for_cache_sync(stop); !synced) return *synced.as_error();

  const client::Api<Database> api(client, "default");
  Database::Draft wanted;
  wanted.metadata().set_name("orders");
  wanted.metadata().set_namespace_("default");
  wanted.spec().set_engine("postgres");
  wanted.spec().set_gibibytes(10);
  wanted.spec().backup().set_schedule("@daily");
  const auto created = api.create(wanted, {.field_manager = "custom-resource", .stop = stop});
  if (!created) return created.error().with_context("create");

  // What changed against the original is sent; spec and status have their own paths, as in the API.
  auto status = created->edit();
  status.status().set_phase("Ready");
  status.status().set_endpoint("orders.default.svc:5432");
  if (auto saved = api.patch(status, {.stop = stop}, "status"); !saved) return saved.error().with_context("status");

  // Apply: the fields that this manager is to have, whatever the others are.
  Database::Draft mine;
  mine.metadata().set_name("orders");
  mine.metadata().set_namespace_("default");
  mine.spec().set_engine("postgres");
  mine.spec().set_gibibytes(20);
  const auto applied = api.apply(mine, {.field_manager = "autoscaler", .force = true, .stop = stop});
  if (!applied) return applied.error().with_context("apply");

  // From the cache, as soon as that has seen the write.
  const auto cached = databases.get("default/orders", applied->resource_version(), {.stop = stop});
  if (!cached) return cached.error().with_context("read");
  print("=", *cached);
  if (auto removed = api.remove("orders", {.stop = stop}); !removed) return removed.error().with_context("remove");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: custom_resource CRD_FILE\n", 2;
  const auto stop = stop_on_signals();
  const auto client = rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;
  const auto done = run(*client, argv[1], stop);
  if (!done && !stop.stop_requested()) return std::cerr << done.error() << '\n', 1;
}
