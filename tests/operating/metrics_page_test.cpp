#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "kubexx/base/stop.hpp"
#include "kubexx/controller/controller_core.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/shard_membership.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/inspect/server.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "paths.hpp"

namespace kubexx {
namespace {

using std::chrono::seconds;

struct PageRow {
  std::string type;
  std::set<std::string> labels;
  bool operator==(const PageRow&) const = default;
};
using Page = std::map<std::string, PageRow>;

void PrintTo(const PageRow& row, std::ostream* out) {
  *out << row.type;
  for (const auto& label : row.labels) *out << " " << label;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_ours(const std::string& name) {
  return name.starts_with("kubexx_") || name.starts_with("workqueue_") || name.starts_with("process_");
}

/// The rows `| \`name\` | type | \`label\`, ... |` of docs/metrics.md.
Page metrics_page() {
  Page page;
  std::istringstream text(file_text(std::filesystem::path(KUBEXX_SOURCE_DIR) / "docs/metrics.md"));
  const std::regex row(R"(^\| `(\w+)` \| (counter|gauge|histogram) \|([^|]*)\|.*)");
  const std::regex label("`([a-z]+)`");
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    const std::string labels = found[3];
    PageRow& made = page[found[1]];
    made.type = found[2];
    for (std::sregex_iterator at(labels.begin(), labels.end(), label), end; at != end; ++at) {
      made.labels.insert((*at)[1]);
    }
  }
  return page;
}

/// The names of metrics in the sources of the library.
std::set<std::string> names_in_sources() {
  std::set<std::string> names;
  const std::regex name(R"re("((?:kubexx|workqueue|process)_[a-z0-9_]*[a-z0-9])")re");
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(KUBEXX_SOURCE_DIR) / "src")) {
    if (file.path().extension() != ".cpp" && file.path().extension() != ".hpp") continue;
    if (file.path().parent_path().filename() == "c") continue;  // functions for C are called so too
    const auto text = file_text(file.path());
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) names.insert((*at)[1]);
  }
  return names;
}

/// A program that uses everything which counts.
class MetricsPageTest : public ::testing::Test {
 protected:
  MetricsPageTest() : client(testkit::client(server, {.metrics = registry})), factory(client) {
    pod = server.seed(testkit::make_pod("default/web")).value();
  }

  void reconcile_once() {
    const auto pods = factory.for_resource({"", "v1", "pods"}).value().informer();
    const auto handler = pods.add_event_handler({.on_add = [](const meta::Object&) {}});
    const auto& informer = pods.shared();
    controller::ControllerOptions options;
    options.name = "pods";
    options.executor = client.executor();
    options.handlers = client.handlers();
    options.metrics = registry;
    controller::ControllerCore core({{"", "Pod"}}, informer, {}, options);
    std::stop_source stop;
    core.start(stop.get_token(), [](const meta::ObjectKey&, std::stop_token) -> Result<controller::Action> {
      return controller::Action::done();
    });
    factory.start();
    ASSERT_TRUE(testkit::eventually([&] { return core.status().reconciles > 0; }));
    informer->relist();
    ASSERT_TRUE(testkit::eventually([&] { return informer->status().reflector.restarts.contains("asked"); }));
    read();
    stop.request_stop();
    ASSERT_TRUE(core.join());
  }

  void lead_once() {
    const auto leader = election::LeaderElector::create(
        client, {.name = "leader", .identity = "me"},
        {.on_started_leading = [](const election::LeaderGuard& guard) { wait_for_stop(guard.stop_token()); }});
    ASSERT_TRUE(leader);
    std::jthread run([&](const std::stop_token& stop) { (*leader)->run(stop); });
    ASSERT_TRUE(testkit::eventually([&] { return (*leader)->is_leader(); }));
    const auto member = election::ShardMembership::create(client, {.group = "shards", .identity = "me"});
    ASSERT_TRUE(member);
    (*member)->start();
    read();
  }

  void record_an_event() {
    events::EventBroadcaster broadcaster(client);
    broadcaster.recorder("test").event(pod, "Normal", "Seen", "it was seen");
    ASSERT_TRUE(broadcaster.shutdown(seconds(60)));
    read();
  }

  /// Adds to `seen` what the registry has now: series go with their owners.
  void read() {
    registry->for_each([this](const MetricFamily& family) {
      if (!is_ours(family.name)) return;
      for (const MetricPoint& point : family.points) {
        PageRow row{std::string(to_string(family.type)), {}};
        for (const auto& label : point.labels) row.labels.insert(label.first);
        const auto [known, added] = seen.try_emplace(family.name, row);
        EXPECT_EQ(known->second, row) << family.name << " has label sets that differ";
      }
    });
  }

  apiserver::Server server;
  std::shared_ptr<MetricsRegistry> registry = std::make_shared<MetricsRegistry>();
  rest::Client client;
  informer::DynamicSharedInformerFactory factory;
  meta::Object pod;
  Page seen;
};

TEST_F(MetricsPageTest, WhatAProgramCountsIsThePageInNamesTypesAndLabels) {
  {
    const auto page = inspect::Server::start(factory).value();
    reconcile_once();
    lead_once();
    record_an_event();
    read();
  }
  factory.shutdown();

  const auto page = metrics_page();
  for (const auto& [name, row] : seen) {
    const auto found = page.find(name);
    if (found == page.end()) {
      ADD_FAILURE() << name << " is not in docs/metrics.md";
    } else {
      EXPECT_EQ(found->second, row) << name;
    }
  }
  for (const auto& [name, row] : page) EXPECT_TRUE(seen.contains(name)) << name << ": no program has it";
}

TEST(MetricsNamesTest, EveryNameInTheSourcesIsInThePageAndTheOtherWayRound) {
  const auto sources = names_in_sources();
  ASSERT_TRUE(sources.contains("kubexx_store_objects"));
  const auto page = metrics_page();
  for (const auto& name : sources) EXPECT_TRUE(page.contains(name)) << name << " is not in docs/metrics.md";
  for (const auto& [name, row] : page) EXPECT_TRUE(sources.contains(name)) << name << " is in no source";
}

}  // namespace
}  // namespace kubexx
