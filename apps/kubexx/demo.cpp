#include <cstdlib>
#include <memory>
#include <sstream>
#include <thread>

#include "command.hpp"
#include "demo_cluster.hpp"
#include "demo_informers.hpp"
#include "event_lines.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/inspect/server.hpp"
#include "live_table.hpp"
#include "process_usage.hpp"
#include "status_lines.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include "tour.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kWithoutTerminal = 30s;

struct Flags {
  Connection connection;
  bool cluster = false;
  bool tour = false;
  std::string for_;
  std::size_t pods = 12;
};

class Demo {
 public:
  Demo(const Flags& flags, rest::Client client, std::string introduction, std::stop_token stop)
      : flags_(flags), client_(std::move(client)), introduction_(std::move(introduction)), end_{stop, out().broken()} {}

  int run(std::optional<Duration> limit) {
    informer::DynamicSharedInformerFactory factory(client_);
    const auto made = make_demo_informers(factory);
    if (!made) return fail(made.error());
    for (const auto& each : *made) informers_.push_back(each.informer);
    inspect::Options options;
    options.title = flags_.cluster ? "kubexx demo --cluster" : "kubexx demo";
    options.metrics = client_.metrics();
    auto page = inspect::Server::start(options);
    if (!page) return fail(page.error());
    (*page)->add(factory);
    introduction_ += "Look:     " + (*page)->url() + "\n";
    out().write(introduction_ + "\n");

    const auto started = Clock::system().now();
    const bool live = stdout_is_terminal();
    Wakeup wake;
    TableLines texts;
    std::vector<std::shared_ptr<LiveRows>> tables;
    std::vector<std::shared_ptr<EventLines>> lines;
    for (std::size_t i = 0; i < made->size(); ++i) {
      const auto& resource = (*made)[i].resource;
      PrinterOptions columns;
      columns.namespaces = resource.namespaced;
      auto printer = Printer::make(client_, resource, columns);
      if (live) {
        tables.push_back(std::make_shared<LiveRows>(std::move(printer), [&wake] { wake.notify(); }));
        registrations_.push_back(informers_[i]->add_event_handler(tables.back()->handler()));
      } else {
        const auto shared = std::make_shared<Printer>(std::move(printer));
        lines.push_back(std::make_shared<EventLines>(
            texts.describe(shared), true,
            [&texts, shared](const std::vector<Change>& changes) { texts.prepare(*shared, changes); }));
        registrations_.push_back(informers_[i]->add_event_handler(lines.back()));
      }
    }
    factory.start(end_.token());
    informer::SyncOptions sync;
    sync.fail_fast = true;
    const auto synced = factory.wait_for_cache_sync(end_.token(), sync);
    if (!synced && !end_.token().stop_requested()) {
      return fail(synced.stopped_by ? *synced.stopped_by : Error::config("the caches do not sync"));
    }
    sync_time_ = Clock::system().now() - started;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (registrations_[i].wait_until_synced(end_.token())) lines[i]->flush();
    }
    {
      // Whoever looks is stopped by the clock as by Ctrl-C.
      const std::jthread clock([&](const std::stop_token& shown) {
        if (!limit) return;
        LinkedStop either{shown, end_.token()};
        if (!wait_for_stop(either.token(), *limit)) end_.request_stop();
      });
      if (live) {
        show(tables, wake);
      } else {
        wait_for_end(end_.token());
      }
      end_.request_stop();
    }
    const auto text = summary();
    (*page)->stop();
    registrations_.clear();
    factory.shutdown();
    out().write(text);
    return 0;
  }

 private:
  void show(const std::vector<std::shared_ptr<LiveRows>>& tables, const Wakeup& wake) {
    class View final : public LiveTables {
     public:
      View(std::vector<std::shared_ptr<LiveRows>> rows, std::string introduction, StatusLines status)
          : LiveTables(std::move(rows)), introduction_(std::move(introduction)), status_(std::move(status)) {}
      std::vector<std::string> head(Size size) override {
        std::vector<std::string> lines;
        std::istringstream text(introduction_);
        for (std::string line; std::getline(text, line);) lines.emplace_back(cut_to(line, size.columns));
        for (auto& line : status_.lines(size.columns)) lines.push_back(std::move(line));
        return lines;
      }

     private:
      std::string introduction_;
      StatusLines status_;
    };
    View view(tables, introduction_, StatusLines(client_, informers_, {informers_.size(), std::nullopt}));
    run_live(view, wake, end_.token());
  }

  std::string summary() const {
    std::string objects;
    std::size_t bytes = 0;
    std::uint64_t events = 0;
    for (std::size_t i = 0; i < informers_.size(); ++i) {
      const auto status = informers_[i]->status();
      objects += (objects.empty() ? "" : ", ") + grouped(status.objects) + ' ' + informers_[i]->resource().resource;
      bytes += status.bytes;
      events += registrations_[i].status().calls;
    }
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(sync_time_).count();
    return "\nobjects   " + objects + " (" + human_bytes(static_cast<double>(bytes)) + " in the caches)\n" +
           "events    " + grouped(events) + " handed to handlers\n" +  //
           "sync      " + std::to_string(milliseconds) + " ms until all caches were filled\n" + "memory    " +
           human_bytes(static_cast<double>(process_memory("VmRSS"))) + " now, " +
           human_bytes(static_cast<double>(process_memory("VmHWM"))) + " at most" +
           (flags_.cluster ? "" : ", the API server included") + "\n";
  }

  const Flags& flags_;
  rest::Client client_;
  std::string introduction_;
  Duration sync_time_{};
  LinkedStop end_;
  std::vector<std::shared_ptr<informer::SharedIndexInformer>> informers_;
  std::vector<informer::Registration> registrations_;
};

int demo(const Flags& flags) {
  if (flags.tour && flags.cluster) return misuse("--tour and --cluster: the tour breaks things, and only its own");
  if (flags.tour && !flags.for_.empty()) return misuse("--tour and --for: the tour ends by itself");
  std::optional<Duration> limit;
  if (!flags.for_.empty()) {
    limit = parse_duration(flags.for_).value();
  } else if (!stdout_is_terminal()) {
    limit = kWithoutTerminal;
  }
  if (flags.cluster) {
    auto client = flags.connection.connect();
    if (!client) return fail(client.error());
    const auto introduction = "Informers on pods, nodes, deployments and Foos of " + one_line(client->config().host) +
                              "; nothing is written there.\n";
    return Demo(flags, std::move(*client), introduction, stop_on_signals()).run(limit);
  }
  const auto stop = stop_on_signals();
  auto cluster = DemoCluster::start(flags.pods, stop);
  if (!cluster) return fail(cluster.error());
  if (flags.tour) return run_tour(**cluster, stop);
  const auto introduction =
      "A Kubernetes API server in this process serves " + (*cluster)->url() +
      ", with a workload that moves.\n"
      "Informers keep caches of its pods, nodes, deployments and Foos; a controller makes deployments of Foos.\n"
      "Try it:   kubectl --kubeconfig " +
      (*cluster)->kubeconfig() + " get pods -A --watch\n";
  return Demo(flags, (*cluster)->client(), introduction, stop).run(limit);
}

}  // namespace

void add_demo(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("demo", "A small moving cluster in this process, and informers on it");
  command.footer(
      "Examples:\n"
      "  kubexx demo                  until q or Ctrl-C; without a terminal for 30 s\n"
      "  kubexx demo --for 20s        ends by itself\n"
      "  kubexx demo --tour           what may happen to informers, step by step; by itself without a terminal\n"
      "  kubexx demo --cluster        the cluster of the kubeconfig instead, read-only");
  command.flag("--cluster", &flags->cluster, "Show the cluster of the kubeconfig; nothing is written there");
  command.flag("--tour", &flags->tour,
               "Cut connections, restore an old etcd, remove a definition, slow a handler, and see what informers do");
  command.option("--for", &flags->for_, "End after so long (20s, 2m)").check(wrong_duration);
  command.option("--pods", &flags->pods, "About how many pods the demo's own cluster has")
      .show_default()
      .range(0, kMaxPods);
  flags->connection.add_to(command, false);
  command.on_run([flags] { return until_stopped(demo(*flags)); });
}

}  // namespace kubexx::app
