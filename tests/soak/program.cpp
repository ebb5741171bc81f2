#include "soak/program.hpp"

#include <algorithm>

#include "kubexx/transport/http_transport.hpp"
#include "soak/settings.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> lines_of(const std::vector<meta::Object>& objects,
                                  const std::function<bool(const meta::Object&)>& wanted) {
  std::vector<std::string> lines;
  for (const auto& object : objects) {
    if (!wanted || wanted(object)) lines.push_back(object.key() + "=" + std::string(object.resource_version()));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// A peer that stalls is found dead within the time that a stall takes.
rest::Client patient_client(const rest::Config& config) {
  transport::TransportOptions wire;
  wire.tls = config.tls;
  wire.proxy_url = "none";
  wire.read_idle = milliseconds(700) * kSlowness;
  wire.ping_timeout = milliseconds(500) * kSlowness;
  rest::ClientOptions options;
  options.transport = transport::HttpTransport::create(wire).value();
  return rest::Client::create(config, options).value();
}

std::string state_text(const informer::InformerStatus& status) {
  const auto& reflector = status.reflector;
  std::string text(reflector::to_string(reflector.state));
  text += " at " + status.resource_version + ", heard of " + seconds_text(status.lag) + " ago";
  if (reflector.last_error) text += ", last error: " + reflector.last_error->message();
  return text;
}

/// What is there now of the files; one that is replaced or removed meanwhile may be missing.
void copy_files(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code ignored;
  std::filesystem::create_directory(to, from, ignored);
  for (const auto& entry : std::filesystem::directory_iterator(from, ignored)) {
    std::filesystem::copy_file(entry.path(), to / entry.path().filename(), ignored);
  }
}

}  // namespace

Program::Program(Surroundings& surroundings, ProgramOptions options, std::uint64_t seed)
    : surroundings_(surroundings), options_(std::move(options)), random_(seed) {
  begin();
}

Program::~Program() {
  end();
}

void Program::begin() {
  factory_ =
      std::make_unique<informer::DynamicSharedInformerFactory>(patient_client(options_.config), options_.factory);
  for (const auto& plan : options_.plans) {
    auto informer = plan.make(*factory_);
    auto handlers = std::make_shared<HandlerSet>(
        surroundings_, informer, options_.name + "/" + plan.label + "/" + std::to_string(before_.restarts),
        random_.next());
    for (const auto manner : {Manner::Fast, Manner::Slow, Manner::Throwing, Manner::Changing}) handlers->add(manner);
    members_.push_back({&plan, std::move(informer), std::move(handlers)});
  }
  factory_->start();
}

void Program::end() {
  for (const auto& member : members_) member.handlers->close();
  factory_->shutdown();
  for (const auto& member : members_) member.handlers->remove_all();
  before_ = totals();
  members_.clear();
  factory_.reset();
}

void Program::restart() {
  const std::filesystem::path directory = options_.factory.cache_directory;
  const auto left = directory.string() + "-left";
  const bool dies = random_.below(2) == 0;
  surroundings_.journal.fault(options_.name + (dies ? " dies" : " ends") + " and comes back");
  // What a program that dies leaves behind is what the directory had before it could write more.
  if (dies && std::filesystem::exists(directory)) copy_files(directory, left);
  end();
  if (std::filesystem::exists(left)) {
    std::filesystem::remove_all(directory);
    std::filesystem::rename(left, directory);
  }
  ++before_.restarts;
  begin();
}

void Program::change_something() {
  const auto& member = members_[random_.below(members_.size())];
  switch (random_.below(6)) {
    case 0:
      surroundings_.journal.fault("relist of " + member.plan->label);
      return member.informer->relist();
    case 1:
      if (member.plan->namespaces) return change_scope(member);
      [[fallthrough]];
    default:
      return member.handlers->change();
  }
}

void Program::change_scope(const Member& member) {
  auto& namespaces = *member.plan->namespaces;
  namespaces = {kNamespaces[random_.below(std::size(kNamespaces))]};
  for (const char* more : kNamespaces) {
    if (more != namespaces.front() && random_.below(2) == 0) namespaces.emplace_back(more);
  }
  surroundings_.journal.fault(member.plan->label + " has " + std::to_string(namespaces.size()) + " namespaces from " +
                              namespaces.front() + " on");
  if (const auto done = member.informer->set_scope({.namespaces = namespaces}); !done) {
    surroundings_.journal.violation("", member.plan->label + ": the scope was not changed: " + done.error().message());
  }
}

std::optional<Difference> Program::wrong(const apiserver::Core& core) const {
  for (const auto& member : members_) {
    if (auto other = wrong(member, core)) return other;
  }
  return std::nullopt;
}

std::optional<Difference> Program::wrong(const Member& member, const apiserver::Core& core) const {
  const auto& resource = member.informer->resource();
  const auto name = options_.name + "/" + member.plan->label;
  const auto with_resource = [&](std::optional<Difference> other) {
    if (!other) return other;
    if (!other->key.empty()) other->key = journal_key(resource, other->key);
    other->what += "; it is " + state_text(member.informer->status());
    return other;
  };
  const auto status = member.informer->status();
  const auto server = lines_of(core.list(resource), member.plan->wanted);
  if (!status.synced || !status.whole) {
    return Difference{"", name + " is not " + (status.synced ? "whole" : "synced") + "; it is " + state_text(status)};
  }
  const auto& store = *member.informer->store();
  if (auto other = first_difference(name, lines_of(store::list_all(store), {}), server)) return with_resource(other);
  std::vector<meta::Object> indexed;
  for (const auto& namespace_ : store.list_index_values(store::kNamespaceIndex)) {
    const auto found = store.by_index(store::kNamespaceIndex, namespace_).value();
    indexed.insert(indexed.end(), found.begin(), found.end());
  }
  if (auto other = first_difference(name + " by namespace", lines_of(indexed, {}), server)) return with_resource(other);
  if (!status.mutated.empty()) return Difference{status.mutated.front(), name + ": somebody changed a cached object"};
  return with_resource(member.handlers->wrong(server));
}

Program::Totals Program::of_this_life() const {
  Totals totals;
  for (const auto& member : members_) {
    const auto reflector = member.informer->status().reflector;
    totals.lists += reflector.lists;
    totals.watches += reflector.watches;
    if (before_.restarts > 0 && reflector.lists == 0 && !reflector.used_watch_list && member.informer->has_synced())
      ++totals.resumed;
  }
  return totals;
}

Program::Totals Program::totals() const {
  auto totals = of_this_life();
  totals.lists += before_.lists;
  totals.watches += before_.watches;
  totals.restarts = before_.restarts;
  totals.resumed += before_.resumed;
  return totals;
}

}  // namespace kubexx::soak
