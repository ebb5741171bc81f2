#include "lacks/scenarios.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::lacks {
namespace {

using Armed = std::function<void()>;

/// A folder that goes with it.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "kubexx-lacks-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw Violation("no folder");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string cache() const { return path_ + "/cache"; }

 private:
  std::string path_;
};

void change(World& world, int turn) {
  const auto value = std::to_string(turn);
  world.put("default/object-0", value);
  world.put("default/new-" + value, value);
  world.put("other/object-1", value);
  if (turn % 2 == 0) world.remove("default/new-" + value);
}

/// It is still a program: what happens after the shortage arrives.
void goes_on(World& world, Program& program) {
  change(world, 1000);
  program.await_equal();
}

void first_list(Wire wire, const Armed& armed) {
  World world(wire);
  armed();
  const auto program = begin(world);
  program->await_equal();
  goes_on(world, *program);
}

void watch(Wire wire, const Armed& armed) {
  World world(wire);
  const auto program = begin(world);
  program->await_equal();
  armed();
  for (int turn = 0; turn < 4; ++turn) {
    change(world, turn);
    program->await_equal();
  }
  goes_on(world, *program);
}

/// The connection is lost, and the version is too old when it is back.
void relist(Wire wire, const Armed& armed) {
  World world(wire);
  const auto program = begin(world);
  program->await_equal();
  armed();
  {
    auto outage = world.server().interrupt_watches();
    change(world, 0);
    change(world, 1);
    world.server().compact_history();
  }
  program->await_equal();
  world.server().drop_connections();
  change(world, 2);
  program->await_equal();
  goes_on(world, *program);
}

void stop(Wire wire, const Armed& armed) {
  World world(wire);
  {
    const auto program = begin(world);
    program->await_equal();
    change(world, 0);  // something is under way
    armed();
    attempt([&] { program->end(); });
    program->check_history();
  }
  const auto again = begin(world);
  again->await_equal();
}

void cache_file_written(Wire wire, const Armed& armed) {
  World world(wire);
  const Folder folder;
  {
    const auto program = begin(world, folder.cache());
    program->await_equal();
    armed();
    for (int turn = 0; turn < 3; ++turn) {
      change(world, turn);
      program->await_equal();
    }
    attempt([&] { program->end(); });
  }
  change(world, 3);
  const auto again = begin(world, folder.cache());
  again->await_equal();
}

void cache_file_read(Wire wire, const Armed& armed) {
  World world(wire);
  const Folder folder;
  {
    const auto program = begin(world, folder.cache());
    program->await_equal();
    program->end();
  }
  change(world, 0);
  armed();
  const auto again = begin(world, folder.cache());
  again->await_equal();
  goes_on(world, *again);
}

/// A candidate that lacks something leads, or its candidacy ends; in the end another one leads that lacks nothing.
class Candidates {
 public:
  explicit Candidates(World& world) : world_(world) {}

  void stand() {
    for (int i = 0; i < 100 && !elector_; ++i) {
      attempt([this] {
        auto connection = connect(world_);
        auto made = election::LeaderElector::create(*connection.client, options("lacking"), callbacks()).value();
        made->start();
        own_ = std::move(connection.own);
        elector_ = std::move(made);
      });
    }
    if (!elector_) throw Violation("the candidate does not stand though nothing is lacking any more");
  }

  void await_terms_and_end() {
    // It leads and renews, or its candidacy has ended.
    const bool over = run_until(own_.loop.get(), [this] { return !elector_->status().standing || renewals() >= 3; });
    if (!over) throw Violation("the candidate neither leads nor has ended");
    attempt([this] { elector_->stop(); });
    if (!run_until(own_.loop.get(), [this] { return !elector_->status().standing && !leads_; })) {
      throw Violation("the candidacy does not end, or nobody is told");
    }
    {
      const Counted on;
      elector_.reset();
      own_ = {};
    }
    succeed();
  }

 private:
  static election::LeaderElectionOptions options(const std::string& identity) {
    election::LeaderElectionOptions made;
    made.name = "service";
    made.identity = identity;
    made.lease_duration = std::chrono::seconds(1);
    made.renew_deadline = std::chrono::milliseconds(700);
    made.retry_period = std::chrono::milliseconds(20);
    return made;
  }
  election::LeaderCallbacks callbacks() {
    election::LeaderCallbacks made;
    made.on_started_leading = [this](const election::LeaderGuard&) {
      const Counted off(false);
      leads_ = true;
    };
    made.on_stopped_leading = [this] { leads_ = false; };
    return made;
  }
  /// Writes of the Lease since it was made.
  std::uint64_t renewals() {
    const auto lease = world_.server().core().get({"coordination.k8s.io", "v1", "leases"}, {"default", "service"});
    if (!lease || (*lease)["spec"]["holderIdentity"].string() != "lacking") return 0;
    if (lease->resource_version() != last_version_) ++versions_;
    last_version_ = lease->resource_version();
    return versions_;
  }
  /// Another candidate, with nothing lacking, leads soon.
  void succeed() {
    const auto client = testkit::client(world_.server());
    election::LeaderCallbacks quiet;
    quiet.on_started_leading = [](const election::LeaderGuard&) {};
    auto patient = options("other");  // it must not lose its term on a busy machine: that would be the end of it
    patient.lease_duration = std::chrono::seconds(60);
    patient.renew_deadline = std::chrono::seconds(40);
    const auto next = election::LeaderElector::create(client, patient, std::move(quiet)).value();
    next->start();
    if (!next->wait_until([](const auto& status) { return status.leading; }, {.timeout = kPatience})) {
      throw Violation("nobody leads any more");
    }
  }

  World& world_;
  std::atomic<bool> leads_{false};
  OwnLoop own_;
  std::unique_ptr<election::LeaderElector> elector_;
  std::string last_version_;
  std::uint64_t versions_ = 0;
};

void an_election(Wire wire, const Armed& armed) {
  World world(wire);
  Candidates candidates(world);
  armed();
  candidates.stand();
  candidates.await_terms_and_end();
}

/// The embedded server lacks something. Its clients may be told so or cut off, and have everything in the end.
void the_server(Wire wire, const Armed& armed) {
  // OpenSSL tries to initialize itself once in a process.
  std::unique_ptr<World> world = std::make_unique<World>(wire);
  world.reset();
  armed();
  for (int i = 0; i < 100 && !world; ++i) attempt([&] { world = std::make_unique<World>(wire); });
  if (!world) throw Violation("the server does not start though nothing is lacking any more");
  const auto program = begin(*world);
  program->await_equal();
  for (int turn = 0; turn < 4; ++turn) change(*world, turn);
  goes_on(*world, *program);
  world->server().drop_connections();
  goes_on(*world, *program);
}

constexpr Scenario kScenarios[] = {
    {"first_list", first_list},
    {"watch", watch},
    {"relist", relist},
    {"stop", stop},
    {"cache_file_written", cache_file_written},
    {"cache_file_read", cache_file_read},
    {"election", an_election},
    {"server", the_server},
};

}  // namespace

std::span<const Scenario> scenarios() {
  return kScenarios;
}

}  // namespace kubexx::lacks
