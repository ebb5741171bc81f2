#include "kubexx/manager/manager.hpp"

#include <algorithm>
#include <stdexcept>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/election/leader_check.hpp"
#include "manager/manager_impl.hpp"
#include "manager/until_stop.hpp"

namespace kubexx::manager {
namespace {

constexpr const char* kPages = "pages";

std::shared_ptr<HealthChecks> health_of(const ManagerOptions& options) {
  return options.pages && options.pages->health ? options.pages->health : std::make_shared<HealthChecks>();
}

}  // namespace

Manager::Impl::Impl(rest::Client client, ManagerOptions options)
    : client_(std::move(client)),
      options_(std::move(options)),
      health_(health_of(options_)),
      strand_(client_.executor()),
      board_(std::make_shared<StatusBoard>(client_.executor())),
      waits_(std::make_shared<ConditionWaits<ManagerStatus>>(strand_)) {
  board_->on_change([waits = waits_] { waits->changed(); });
}

Result<std::shared_ptr<Manager::Impl>> Manager::Impl::make(rest::Client client, ManagerOptions options) {
  if (options.start_deadline <= Duration::zero() || options.stop_deadline <= Duration::zero()) {
    return Error::config("manager: the deadlines must be positive");
  }
  auto made = std::make_shared<Impl>(std::move(client), std::move(options));
  if (auto elector = made->make_elector(); !elector) return elector.error().with_context("manager");
  made->add_checks();
  return made;
}

Result<void> Manager::Impl::make_elector() {
  if (!options_.election) return {};
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [weak = weak_from_this()](const election::LeaderGuard& guard) {
    const auto self = weak.lock();
    if (!self) return;
    self->post([guard, hold = guard.hold()](Impl& leading) mutable { leading.begin_term(guard, std::move(hold)); });
  };
  callbacks.on_stopped_leading = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->post([](Impl& over) { over.candidacy_over(); });
  };
  auto elector = election::LeaderElector::create(client_, *options_.election, std::move(callbacks));
  if (!elector) return elector.error();
  elector_ = std::move(*elector);
  return {};
}

void Manager::Impl::add_checks() {
  checks_.push_back(health_->add("manager", HealthProbe::Readiness, [weak = weak_from_this()]() -> Health {
    const auto self = weak.lock();
    return self ? self->check() : Health(Error::canceled("the manager is gone"));
  }));
  if (elector_) checks_.push_back(health_->add("leader", HealthProbe::Both, election::leader_check(elector_)));
}

Health Manager::Impl::check() const {
  const auto now = board_->status();
  if (now.state == ManagerState::Running) return {};
  std::string text(to_string(now.state));
  for (const auto& each : now.components) {
    const bool under_way = each.state == ComponentState::Starting || each.state == ComponentState::Stopping;
    if (under_way || each.state == ComponentState::Failed) text += ": " + each.name;
  }
  return Error::config(text);
}

void Manager::Impl::close() {
  const auto is = [this](bool Impl::* fact) {
    const std::lock_guard lock(mutex_);
    return this->*fact;
  };
  if (is(&Impl::started_) && !is(&Impl::has_ended_)) {
    stop();
    const auto over = ended().wait();
    if (!is(&Impl::has_ended_)) report_error(over.error(), "manager");  // a loop's thread that cannot be driven
  }
  checks_.clear();
  std::shared_ptr<election::LeaderElector> last;
  {
    const std::lock_guard lock(mutex_);  // who waits for a status may still ask for it
    last.swap(elector_);
  }
  waits_->close("the manager is gone");
}

void Manager::Impl::add(Component component) {
  if (component.name.empty() || !component.run) throw std::logic_error("a component needs a name and a run");
  const std::lock_guard lock(mutex_);
  if (started_) throw std::logic_error("component " + component.name + " was added to a started manager");
  const auto same = [&](const Component& other) { return other.name == component.name; };
  if (component.name == kPages || std::any_of(added_.begin(), added_.end(), same)) {
    throw std::logic_error("a manager has two components " + component.name);
  }
  added_.push_back(std::move(component));
}

void Manager::Impl::add(informer::SharedInformerFactory& factory, std::string name) {
  add(informers_component(factory, std::move(name)));
  const std::lock_guard lock(mutex_);
  shown_.push_back(&factory);
}

void Manager::Impl::make_sequences() {
  const Sequence::Setting setting{strand_, client_.handlers(), options_.start_deadline, options_.stop_deadline, board_};
  const auto failed = [weak = weak_from_this()](const Error& error) {
    if (const auto self = weak.lock()) self->begin_stop(error);
  };
  always_ = std::make_shared<Sequence>(setting, failed);
  leading_ = std::make_shared<Sequence>(setting, failed);
  std::vector<Component> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
  }
  if (options_.pages) added.insert(added.begin(), pages_component(*options_.pages));
  const auto of_term = [this](const Component& each) { return leads_first(each); };
  std::stable_partition(added.begin(), added.end(), [&](const Component& each) { return !of_term(each); });
  for (auto& each : added) {
    const bool term = of_term(each);
    const auto place =
        board_->add(each.name, each.needs_leader, term ? ComponentState::Standby : ComponentState::NotStarted);
    (term ? leading_ : always_)->add(std::move(each), place);
  }
}

Component Manager::Impl::pages_component(const inspect::Options& options) {
  Component component;
  component.name = kPages;
  component.run = [weak = weak_from_this(), handlers = client_.handlers(), options](const ComponentRun& run) {
    return until_stop(
        handlers, run.stop,
        [weak, run, options]() -> Result<void> {
          const auto self = weak.lock();
          if (!self) return Error::canceled("the manager is gone");
          auto opened = self->open_pages(options);
          if (opened) run.started();
          return opened;
        },
        [weak](UntilStop::Done done) {
          std::unique_ptr<inspect::Server> page;
          if (const auto self = weak.lock()) {
            const std::lock_guard lock(self->mutex_);
            page = std::move(self->page_);
          }
          page.reset();
          done({});
        });
  };
  return component;
}

Result<void> Manager::Impl::open_pages(inspect::Options options) {
  options.health = health_;
  if (!options.metrics) options.metrics = client_.metrics();
  auto page = inspect::Server::start(std::move(options));
  if (!page) return page.error();
  log(LogLevel::Info, "the pages are open", {{"address", (*page)->address()}});
  const std::lock_guard lock(mutex_);
  for (const auto* factory : shown_) (*page)->add(*factory);
  page_ = std::move(*page);
  return {};
}

ManagerStatus Manager::Impl::status() const {
  auto now = board_->status();
  std::shared_ptr<election::LeaderElector> asked;
  {
    const std::lock_guard lock(mutex_);
    asked = elector_;
  }
  if (asked) now.election = asked->status();
  return now;
}

Async<Result<ManagerStatus>> Manager::Impl::until(std::function<bool(const ManagerStatus&)> condition,
                                                  election::ElectionWaitOptions options) {
  const auto ask = [weak = weak_from_this()] {
    const auto self = weak.lock();
    return self ? self->status() : ManagerStatus();
  };
  return waits_->until(when<ManagerStatus>(ask, std::move(condition)), {std::move(options.stop), options.timeout});
}

std::string Manager::Impl::page_url() const {
  const std::lock_guard lock(mutex_);
  return page_ ? page_->url() : std::string();
}

Manager::Manager(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Manager::~Manager() {
  impl_->close();
}
Result<std::unique_ptr<Manager>> Manager::create(rest::Client client, ManagerOptions options) {
  auto impl = Impl::make(std::move(client), std::move(options));
  if (!impl) return impl.error();
  return std::unique_ptr<Manager>(new Manager(std::move(*impl)));
}
void Manager::add(Component component) {
  impl_->add(std::move(component));
}
void Manager::add(informer::SharedInformerFactory& factory, std::string name) {
  impl_->add(factory, std::move(name));
}
HealthChecks& Manager::health() noexcept {
  return impl_->health();
}
void Manager::start(std::stop_token stop) {
  impl_->start(std::move(stop));
}
void Manager::stop() {
  impl_->stop();
}
Async<Result<void>> Manager::ended_async() const {
  return impl_->ended();
}
Result<void> Manager::run(std::stop_token stop) {
  if (auto possible = impl_->awaited().possible(); !possible) return possible.error();
  start(std::move(stop));
  return ended_async().wait();
}
ManagerStatus Manager::status() const {
  return impl_->status();
}
Async<Result<ManagerStatus>> Manager::until_async(std::function<bool(const ManagerStatus&)> condition,
                                                  election::ElectionWaitOptions options) const {
  return impl_->until(std::move(condition), std::move(options));
}
Result<ManagerStatus> Manager::wait_until(std::function<bool(const ManagerStatus&)> condition,
                                          election::ElectionWaitOptions options) const {
  return until_async(std::move(condition), std::move(options)).wait();
}
std::string Manager::page_url() const {
  return impl_->page_url();
}
const rest::Client& Manager::client() const noexcept {
  return impl_->client();
}

}  // namespace kubexx::manager
