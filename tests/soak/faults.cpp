#include "soak/faults.hpp"

#include <algorithm>

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostServerFaults = 3;
constexpr double kLowestRate = 1;
constexpr double kHighestRate = 15;

/// Of list and watch alone: answers that mean something else to a reader than to a writer.
std::vector<NamedFault> reader_faults(apiserver::Server& server) {
  std::vector<NamedFault> faults;
  for (const char* verb : {"list", "watch"}) {
    for (const int status : {400, 401, 410, 422}) {
      faults.push_back({std::string(verb) + " " + std::to_string(status), [&server, verb, status] {
                          apiserver::Fault fault;
                          fault.verb = verb;
                          fault.share = 0.5;
                          fault.status = status;
                          return server.core().add_fault(fault);
                        }});
    }
  }
  return faults;
}

}  // namespace

Faults::Faults(apiserver::Server& server, std::vector<Link> links, Journal& journal, std::uint64_t seed)
    : journal_(journal), random_(seed), kinds_(server_faults(server)), links_(std::move(links)) {
  for (auto& more : reader_faults(server)) kinds_.push_back(std::move(more));
}

void Faults::begin_storm() {
  rate_ = kLowestRate + random_.uniform() * (kHighestRate - kLowestRate);
  last_ = Clock::system().now();
}

void Faults::step() {
  const auto now = Clock::system().now();
  std::erase_if(active_, [&](Active& active) {
    if (active.until > now) return false;
    journal_.fault(active.name + " is over");
    return true;
  });
  const double passed = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  if (random_.uniform() >= rate_ * passed) return;
  if (random_.below(2) == 0) return begin_on_server();
  begin_on(links_[random_.below(links_.size())]);
}

void Faults::begin_on_server() {
  const auto of_server = std::ranges::count(active_, nullptr, &Active::link);
  if (static_cast<std::size_t>(of_server) >= kMostServerFaults) return;
  const auto& kind = kinds_[random_.below(kinds_.size())];
  note(kind.name);
  keep(kind.name, nullptr, kind.begin());
}

void Faults::begin_on(const Link& link) {
  std::erase_if(active_, [&](const Active& active) { return active.link == &link; });  // one at a time
  std::string name;
  auto outage = break_link(link, name);
  note(name);
  keep(name + " of link " + std::to_string(&link - links_.data()), &link, std::move(outage));
}

apiserver::Outage Faults::break_link(const Link& link, std::string& name) {
  switch (random_.below(link.may_delay ? 6 : 4)) {
    case 0:
      name = "link cut";
      link.proxy->cut();
      return {};
    case 1:
      name = "link cut later";
      link.proxy->cut_after(1 + random_.below(5000));
      return {};
    case 2:
      name = "link refuses";
      return link.proxy->refuse();
    case 3:
      name = "link cuts each";
      return link.proxy->cut_each_after(2000 + random_.below(50'000));
    case 4:
      name = "link stalls";
      return link.proxy->stall();
    default:
      name = "link delays";
      return link.proxy->delay(milliseconds(random_.below(50)));
  }
}

void Faults::note(const std::string& name) {
  ++counts_[name];
}

void Faults::keep(std::string name, const Link* link, apiserver::Outage outage) {
  journal_.fault(name);
  const auto length = milliseconds(50 + random_.below(1500));
  active_.push_back({std::move(name), link, Clock::system().now() + length, std::move(outage)});
}

void Faults::heal() {
  active_.clear();
  journal_.fault("everything is healed");
}

}  // namespace kubexx::soak
