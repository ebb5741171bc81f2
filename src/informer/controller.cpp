#include "kubexx/informer/controller.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/internal/deadline.hpp"
#include "base/internal/insist.hpp"
#include "informer/parts_status.hpp"
#include "informer/pipe.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::informer {
namespace {

reflector::ReflectorOptions reflector_of(const Config& config) {
  auto options = config.reflector;
  if (config.object_type) options.expected_kind = config.object_type;
  if (!config.object_description.empty()) options.type_description = config.object_description;
  if (config.full_resync_period > Duration::zero()) options.resync_period = config.full_resync_period;
  if (config.should_resync) options.should_resync = config.should_resync;
  if (config.watch_error_handler) options.watch_error_handler = config.watch_error_handler;
  if (config.page_size) options.page_size = *config.page_size;
  return options;
}

void check(const Sources& sources) {
  if (sources.empty()) throw std::logic_error("a controller needs a source");
  if (sources.size() > 1 && sources.contains("")) throw std::logic_error("a source of everything beside others");
  for (const auto& [namespace_, source] : sources) {
    if (!source) throw std::logic_error("a source is null");
  }
}

}  // namespace

struct KUBEXX_HIDDEN Controller::Impl : std::enable_shared_from_this<Impl> {
  class PartOwner;
  /// What keeps the objects of one source.
  struct Part {
    std::string namespace_;
    std::shared_ptr<reflector::ListerWatcher> source;
    std::shared_ptr<Pipe::Part> sink;
    std::shared_ptr<reflector::Reflector> reflector;
  };

  explicit Impl(Strand s) : strand(std::move(s)) {}
  /// Whether somebody runs it: then pipe and options are there, and stay.
  bool runs() const noexcept { return running.load(std::memory_order_acquire); }
  Part make_part(std::string namespace_, std::shared_ptr<reflector::ListerWatcher> source, std::string not_older_than,
                 std::string resume_from);
  using Restored = std::vector<std::pair<std::shared_ptr<Pipe::Part>, RestoredPart>>;
  void restore(Restored from);
  void change_sources(Sources sources);
  bool should_resync();
  void begin(std::optional<Config> given);
  Restored make_parts(Config own);
  std::vector<std::shared_ptr<reflector::Reflector>> reflectors() const {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<reflector::Reflector>> all;
    all.reserve(parts.size());
    for (const auto& part : parts) all.push_back(part.reflector);
    return all;
  }

  const Strand strand;
  mutable std::mutex mutex;
  std::optional<Config> config;          // guarded by mutex; until the start
  bool started = false;                  // guarded by mutex
  bool stopped = false;                  // guarded by mutex
  std::vector<Part> parts;               // changed on the strand once it runs, guarded by mutex
  reflector::ReflectorStatus past = {};  // guarded by mutex; counts of parts that are gone
  std::string seen;                      // strand; the highest version of parts that are gone
  TimePoint next_resync{};               // strand
  reflector::ReflectorOptions options;
  std::shared_ptr<Pipe> pipe;
  std::atomic<bool> running{false};
};

/// Asks and tells whom the options name; beside that, a part that finds the server restored speaks for all.
class Controller::Impl::PartOwner final : public reflector::Owner {
 public:
  PartOwner(std::weak_ptr<Impl> controller, std::shared_ptr<reflector::ListerWatcher> source,
            std::shared_ptr<reflector::Owner> named, bool transforms)
      : controller_(std::move(controller)),
        source_(std::move(source)),
        named_(std::move(named)),
        transforms_(transforms) {}
  meta::Object prefer_known(meta::Object fresh) override {
    return named_ ? named_->prefer_known(std::move(fresh)) : fresh;
  }
  meta::Object find_known(const meta::ItemIdentity& identity) const override {
    return named_ && !transforms_ ? named_->find_known(identity) : meta::Object();
  }
  void on_change() override {
    if (named_) named_->on_change();
  }
  void on_rollback() override {
    if (named_) named_->on_rollback();
    const auto alive = controller_.lock();
    if (!alive) return;
    for (const auto& part : alive->parts) {  // on the strand, which alone changes them
      if (part.source == source_ && std::exchange(part.sink->knows_of_rollback, false)) return;
    }
    for (const auto& part : alive->parts) {
      if (part.source == source_) continue;
      part.sink->knows_of_rollback = true;
      part.reflector->relist();
    }
  }

 private:
  const std::weak_ptr<Impl> controller_;
  const std::shared_ptr<reflector::ListerWatcher> source_;  // of the part
  const std::shared_ptr<reflector::Owner> named_;
  const bool transforms_;  // what is known is the outcome then, and would be transformed again
};

Controller::Impl::Part Controller::Impl::make_part(std::string namespace_,
                                                   std::shared_ptr<reflector::ListerWatcher> source,
                                                   std::string not_older_than, std::string resume_from) {
  auto sink = pipe->add_part(namespace_);
  auto own = options;
  own.owner = std::make_shared<PartOwner>(weak_from_this(), source, options.owner, pipe->transforms());
  if (!not_older_than.empty()) own.not_older_than = std::move(not_older_than);
  own.resume_from = std::move(resume_from);
  own.should_resync = [weak = weak_from_this()] {
    const auto alive = weak.lock();
    return alive && alive->should_resync();
  };
  auto made = reflector::Reflector::create(source, sink, strand, std::move(own));
  return {std::move(namespace_), std::move(source), std::move(sink), std::move(made)};
}

/// Of several parts whichever is due first resyncs for all of them, once a period.
bool Controller::Impl::should_resync() {
  const auto now = strand.clock().now();
  if (now < next_resync) return false;
  next_resync = kubexx::detail::after(now, options.resync_period);
  return !options.should_resync || options.should_resync();
}

/// On the strand.
void Controller::Impl::change_sources(Sources sources) {
  std::vector<Part> kept;
  std::vector<Part> gone;
  for (auto& part : parts) {  // the strand alone changes them: no lock to read
    const auto found = sources.find(part.namespace_);
    const bool same = found != sources.end() && found->second == part.source;
    (same ? kept : gone).push_back(part);
    if (same) sources.erase(found);
  }
  std::vector<reflector::ReflectorStatus> ended;
  ended.reserve(gone.size());
  for (const auto& part : gone) ended.push_back(part.reflector->status());
  seen = higher_version(seen, combined(ended).last_sync_resource_version);
  const auto first_new = static_cast<std::ptrdiff_t>(kept.size());
  for (auto& [namespace_, source] : sources) kept.push_back(make_part(namespace_, std::move(source), seen, {}));
  for (auto& part : gone) {
    pipe->drop(*part.sink);
    part.reflector->stop();
  }

  std::vector<std::string> namespaces;
  namespaces.reserve(kept.size());
  for (const auto& part : kept) namespaces.push_back(part.namespace_);
  const auto everything = std::find(namespaces.begin(), namespaces.end(), "") != namespaces.end();
  if (kept.size() == 1 && first_new == 1) {  // from now on the version is that of the one that is left
    kept.front().sink->bookmark(kept.front().reflector->last_sync_resource_version());
  }
  if (!gone.empty() && !everything) pipe->keep_only(std::move(namespaces));
  {
    const std::lock_guard lock(mutex);
    parts = kept;
    for (const auto& each : ended) add_counts(past, each);
  }
  for (auto part = kept.begin() + first_new; part != kept.end(); ++part) part->reflector->start();
}

Controller::Controller(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Controller::~Controller() = default;

std::shared_ptr<Controller> Controller::create(Strand strand) {
  return std::shared_ptr<Controller>(new Controller(std::make_shared<Impl>(std::move(strand))));
}

std::shared_ptr<Controller> Controller::create(Config config, Strand strand) {
  auto made = create(std::move(strand));
  made->impl_->config = std::move(config);
  return made;
}

void Controller::start() {
  impl_->begin(std::nullopt);
}

void Controller::start(Config config) {
  impl_->begin(std::move(config));
}

void Controller::Impl::begin(std::optional<Config> given) {
  Restored restored;
  {
    const std::lock_guard lock(mutex);
    if (!started && !given && !config) throw std::logic_error("a controller without a Config cannot start");
    Config own = given ? std::move(*given) : config ? std::move(*config) : Config();
    config.reset();
    const bool refused = std::exchange(started, true) || stopped;
    if (refused) {
      log(LogLevel::Warning, "an informer's controller was started twice or after its end",
          {{"type", runs() ? options.type_description : own.object_description}});
      return;
    }
    try {
      restored = make_parts(std::move(own));
    } catch (...) {  // it has not begun
      parts.clear();
      pipe.reset();
      started = false;
      throw;
    }
    running.store(true, std::memory_order_release);
  }
  if (!restored.empty()) restore(std::move(restored));
  std::vector<std::shared_ptr<reflector::Reflector>> all;
  insist([&] { all = reflectors(); });
  for (const auto& reflector : all) reflector->start();
}

/// With the mutex held, once.
Controller::Impl::Restored Controller::Impl::make_parts(Config own) {
  Restored restored;
  auto sources = own.sources;
  if (sources.empty()) sources.emplace("", own.lister_watcher);
  check(sources);
  options = reflector_of(own);
  auto known = std::move(own.restored);
  pipe = std::make_shared<Pipe>(std::move(own), strand);
  pipe->on_loss = [weak = weak_from_this()] {
    const auto alive = weak.lock();
    if (!alive) return;
    for (const auto& part : alive->parts) part.reflector->relist();  // the strand alone changes them: no lock to read
  };
  for (auto& [namespace_, source] : sources) {
    const auto before = known.find(namespace_);
    const bool resumes = before != known.end();
    auto version = resumes ? before->second.resource_version : std::string();
    parts.push_back(make_part(namespace_, std::move(source), {}, std::move(version)));
    if (resumes) restored.emplace_back(parts.back().sink, std::move(before->second));
  }
  return restored;
}

/// Before the reflectors begin, which is a task of the strand too.
void Controller::Impl::restore(Restored from) {
  strand.post(insisted_task([self = shared_from_this(), from = std::move(from)] {
    for (const auto& [sink, part] : from) self->pipe->restore(*sink, part);
  }));
}

void Controller::set_sources(Sources sources, Task changed) {
  check(sources);
  impl_->strand.post([self = shared_from_this(), sources = std::move(sources), changed = std::move(changed)]() mutable {
    {
      const std::lock_guard lock(self->impl_->mutex);
      if (self->impl_->config) self->impl_->config->sources = sources;
      if (self->impl_->stopped || !self->impl_->runs()) return;
    }
    self->impl_->change_sources(std::move(sources));
    if (changed) changed();
  });
}

void Controller::stop(Task stopped) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
  }
  if (!impl_->runs()) {
    if (stopped) impl_->strand.post(std::move(stopped));
    return;
  }
  // On the strand: nobody changes the parts meanwhile, and what they were changed to before is there.
  std::shared_ptr<Task> last;
  insist([&] { last = std::make_shared<Task>(std::move(stopped)); });
  impl_->strand.post([self = shared_from_this(), stopped = std::move(last)] {
    std::vector<std::shared_ptr<reflector::Reflector>> all;
    std::shared_ptr<std::size_t> left;
    insist([&] {
      all = self->impl_->reflectors();
      left = std::make_shared<std::size_t>(all.size());
    });
    for (const auto& reflector : all) {
      reflector->stop([pipe = self->impl_->pipe, stopped, left] {
        if (--*left > 0) return;
        pipe->stop();
        if (*stopped) (*stopped)();
      });
    }
  });
}

void Controller::run(std::stop_token token) {
  const bool again = impl_->runs();
  if (!again && token.stop_requested()) return;
  start();  // a second one, or one after the end, is logged
  if (again || !impl_->runs()) return;
  const kubexx::detail::Awaited awaited{impl_->strand.executor().get()};
  const auto ended = std::make_shared<kubexx::detail::Ended>();
  ended->wait(awaited, token).value();
  stop([ended] { ended->tell(); });
  ended->wait(awaited).value();
}

bool Controller::has_synced() const {
  return impl_->runs() && impl_->pipe->has_synced();
}
std::string Controller::last_sync_resource_version() const {
  const std::lock_guard lock(impl_->mutex);
  std::string highest;
  for (const auto& part : impl_->parts) highest = higher_version(highest, part.reflector->last_sync_resource_version());
  return highest;
}
std::optional<std::string> Controller::last_sync_resource_version(std::string_view namespace_) const {
  const std::lock_guard lock(impl_->mutex);
  for (const auto& part : impl_->parts) {
    if (part.namespace_.empty() || part.namespace_ == namespace_) return part.reflector->last_sync_resource_version();
  }
  return std::nullopt;
}
std::map<std::string, std::string> Controller::last_sync_resource_versions() const {
  const std::lock_guard lock(impl_->mutex);
  std::map<std::string, std::string> versions;
  for (const auto& part : impl_->parts) {
    versions.emplace(part.namespace_, part.reflector->last_sync_resource_version());
  }
  return versions;
}
reflector::ReflectorStatus Controller::status() const {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->runs()) return {};
  std::vector<reflector::ReflectorStatus> parts;
  for (const auto& part : impl_->parts) parts.push_back(part.reflector->status());
  auto all = combined(parts);
  add_counts(all, impl_->past);
  return all;
}
std::size_t Controller::queue_depth() const {
  return impl_->runs() ? impl_->pipe->depth() : 0;
}
void Controller::relist() {
  for (const auto& reflector : impl_->reflectors()) reflector->relist();
}

}  // namespace kubexx::informer
