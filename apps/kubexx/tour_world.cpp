#include "tour_world.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "demo_informers.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/inspect/server.hpp"
#include "kubexx/store/lister.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kSlowCall = 1s;

/// Holds whoever waits for it, while it is on.
class Brake {
 public:
  void put_on() {
    const std::lock_guard lock(mutex_);
    if (!released_) released_.emplace();
  }
  void release() {
    std::optional<std::stop_source> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting = std::exchange(released_, std::nullopt);
    }
    if (waiting) waiting->request_stop();
  }
  void wait(const std::stop_token& stop) {
    std::stop_token released;
    {
      const std::lock_guard lock(mutex_);
      if (!released_) return;
      released = released_->get_token();
    }
    const LinkedStop either{stop, released};
    wait_for_stop(either.token(), kSlowCall);
  }

 private:
  std::mutex mutex_;
  std::optional<std::stop_source> released_;  // guarded by mutex_
};

struct Calls {
  std::atomic<std::uint64_t> by_watch{0};
  std::atomic<std::uint64_t> by_relist{0};
};

/// A handler that calls `call` for whatever happens.
template <class Call>
std::shared_ptr<informer::ResourceEventHandler> handler_of(Call call) {
  informer::ResourceEventHandlerFuncs<> functions;
  functions.on_add = [call](const meta::Object&, const informer::EventContext& context) { call(context); };
  functions.on_update = [call](const meta::Object&, const informer::EventContext& context) { call(context); };
  functions.on_delete = [call](const informer::Deleted<meta::Object>&, const informer::EventContext& context) {
    call(context);
  };
  return informer::make_handler(std::move(functions));
}

std::shared_ptr<informer::ResourceEventHandler> counting(const std::shared_ptr<Calls>& calls) {
  return handler_of([calls](const informer::EventContext& context) {
    if (context.cause() == informer::EventCause::Watch) ++calls->by_watch;
    if (context.cause() == informer::EventCause::Relist) ++calls->by_relist;
  });
}

}  // namespace

const InformerPicture& Picture::of(std::string_view name) const {
  const auto found = std::find_if(informers_.begin(), informers_.end(), [&](const auto& i) { return i.name == name; });
  if (found == informers_.end()) throw std::logic_error("no informer of " + std::string(name));
  return *found;
}

bool Picture::all_watch() const {
  return std::all_of(informers_.begin(), informers_.end(), [](const auto& informer) {
    return informer.status.synced && informer.status.reflector.state == reflector::ReflectorState::Watching;
  });
}

struct TourWorld::State {
  State(DemoCluster& c, std::stop_token s) : cluster(c), stop(std::move(s)), factory(c.client()) {}
  ~State() {
    brake->release();
    page.reset();
    registrations.clear();
    factory.shutdown();
  }
  Picture look() const {
    std::vector<InformerPicture> informers;
    for (std::size_t i = 0; i < made.size(); ++i) {
      informers.push_back(
          {made[i].resource.resource.resource, made[i].informer->status(), calls[i]->by_watch, calls[i]->by_relist});
    }
    return Picture(std::move(informers));
  }

  DemoCluster& cluster;
  std::stop_token stop;
  informer::DynamicSharedInformerFactory factory;
  std::vector<DemoInformer> made;
  std::vector<std::shared_ptr<Calls>> calls;
  std::shared_ptr<Brake> brake = std::make_shared<Brake>();
  std::vector<informer::Registration> registrations;
  std::unique_ptr<inspect::Server> page;
  Picture before{{}};
};

Result<std::unique_ptr<TourWorld>> TourWorld::start(DemoCluster& cluster, const std::stop_token& stop) {
  auto state = std::make_unique<State>(cluster, stop);
  auto made = make_demo_informers(state->factory);
  if (!made) return made.error();
  state->made = std::move(*made);
  for (const auto& each : state->made) {
    state->calls.push_back(std::make_shared<Calls>());
    state->registrations.push_back(each.informer->add_event_handler(counting(state->calls.back()), {.name = "quick"}));
    if (each.resource.resource.resource != "pods") continue;
    state->registrations.push_back(each.informer->add_event_handler(
        handler_of([brake = state->brake](const informer::EventContext& context) { brake->wait(context.stop()); }),
        {.name = "slow"}));
  }
  inspect::Options options;
  options.title = "kubexx demo --tour";
  options.metrics = cluster.client().metrics();
  auto page = inspect::Server::start(options);
  if (!page) return page.error();
  state->page = std::move(*page);
  state->page->add(state->factory);
  state->factory.start(stop);
  state->before = state->look();
  return std::unique_ptr<TourWorld>(new TourWorld(std::move(state)));
}

TourWorld::TourWorld(std::unique_ptr<State> state) : state_(std::move(state)) {}
TourWorld::~TourWorld() = default;

DemoCluster& TourWorld::cluster() {
  return state_->cluster;
}
apiserver::Core& TourWorld::core() {
  return state_->cluster.server().core();
}
const std::stop_token& TourWorld::stop() const {
  return state_->stop;
}
std::string TourWorld::page_url() const {
  return state_->page->url();
}
Picture TourWorld::look() const {
  return state_->look();
}
const Picture& TourWorld::before() const {
  return state_->before;
}
void TourWorld::begin_step() {
  state_->before = look();
}

std::size_t TourWorld::newer_objects() const {
  std::size_t count = 0;
  for (const auto& each : state_->made) {
    count += store::list_all(*each.informer->store(), meta::LabelSelector::equals("app", kNewer)).size();
  }
  return count;
}

void TourWorld::slow_down() {
  state_->brake->put_on();
}
void TourWorld::speed_up() {
  state_->brake->release();
}

}  // namespace kubexx::app
