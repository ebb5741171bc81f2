#include "soak/world.hpp"

#include "base/internal/random_token.hpp"
#include "kubexx/testkit/client.hpp"
#include "sample.hpp"
#include "soak/plans.hpp"

namespace kubexx::soak {
namespace {

/// Little is remembered, so that memory is at its height soon, and watches expire by themselves too.
apiserver::Options server_options(std::uint64_t seed) {
  apiserver::Options options;
  options.tls = seed % 2 == 0;  // and with it HTTP/2
  options.bookmark_interval = std::chrono::milliseconds(500);
  options.history_events = 2000;
  options.request_log_entries = 5000;
  options.seed = seed | 1;
  return options;
}

rest::Client client_of(const testkit::FaultProxy& link) {
  return rest::Client::create(link.config()).value();
}

/// Before anything breaks: Foos are served from now on.
rest::Client with_foos(const apiserver::Server& server, const testkit::FaultProxy& link) {
  sample::install_crd(testkit::client(server)).value();
  return client_of(link);
}

}  // namespace

OwnFolder::OwnFolder() : path_(std::filesystem::temp_directory_path() / ("kubexx-soak-" + random_token())) {
  std::filesystem::create_directory(path_);
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

World::World(const Settings& settings, Journal& shared)
    : journal(shared),
      random(settings.seed),
      server(server_options(settings.seed)),
      steady_link(testkit::config(server)),
      restarted_link(testkit::config(server)),
      sample_link(testkit::config(server)),
      first_link(testkit::config(server)),
      second_link(testkit::config(server)),
      workload(server.core(), journal, random.next()),
      surroundings{journal, workload},
      steady(surroundings, {"steady", steady_link.config(), steady_options(), steady_plans()}, random.next()),
      restarted(surroundings,
                {"restarted", restarted_link.config(), restarted_options(folder.path() / "cache"), restarted_plans()},
                random.next()),
      page(steady.factory(), journal),
      foos(server.core(), with_foos(server, sample_link), journal, random.next()),
      election(client_of(first_link), client_of(second_link), client_of(steady_link), journal),
      terms(journal),
      faults(server,
             {{&steady_link, true},
              {&restarted_link, true},
              {&sample_link, true},
              {&first_link, false},
              {&second_link, false}},
             journal, random.next()) {}

std::optional<Difference> World::wrong() {
  if (auto other = steady.wrong(server.core())) return other;
  if (auto other = restarted.wrong(server.core())) return other;
  if (auto what = foos.wrong()) return Difference{"", *what};
  if (auto what = election.wrong(server.core())) return Difference{"", *what};
  return std::nullopt;
}

Progress World::progress() const {
  Progress now;
  now.elapsed = journal.elapsed();
  now.writes = workload.writes();
  now.events = journal.events();
  for (const auto* program : {&steady, &restarted}) {
    const auto totals = program->totals();
    now.lists += totals.lists;
    now.watches += totals.watches;
    now.restarts += totals.restarts;
    now.resumed += totals.resumed;
  }
  now.terms = terms.terms();
  now.guarded_writes = terms.writes();
  now.page_reads = page.reads();
  now.quiet_points = quiet_points;
  now.faults = faults.counts();
  now.figures = read_figures();
  return now;
}

}  // namespace kubexx::soak
