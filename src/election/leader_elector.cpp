#include "kubexx/election/leader_elector.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "base/internal/condition_waits.hpp"
#include "base/internal/insisted_completion.hpp"
#include "election/leader_machine.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::election {

Result<void> LeaderElectionOptions::validate() const {
  if (namespace_.empty() || name.empty())
    return Error::config("leader election: the lease needs a namespace and a name");
  if (identity.empty()) return Error::config("leader election: the identity must not be empty");
  if (retry_period <= Duration::zero()) return Error::config("leader election: retry_period must be positive");
  if (lease_duration <= renew_deadline) {
    return Error::config("leader election: lease_duration must be longer than renew_deadline");
  }
  if (static_cast<double>(renew_deadline.count()) <= kRetryJitter * static_cast<double>(retry_period.count())) {
    return Error::config("leader election: renew_deadline must be longer than 1.2 times retry_period");
  }
  if (stop_timeout && *stop_timeout < Duration::zero()) {
    return Error::config("leader election: stop_timeout must not be negative");
  }
  return {};
}

namespace {

struct StopCandidacy {
  std::shared_ptr<LeaderMachine> machine;
  void operator()() const noexcept { machine->stop(); }
};

}  // namespace

/// One candidacy after the other.
class KUBEXX_HIDDEN LeaderElector::Impl : public std::enable_shared_from_this<Impl> {
 public:
  using Ended = Async<Result<void>>;
  using Waits = ConditionWaits<ElectionStatus>;

  struct Candidacy {
    std::shared_ptr<LeaderMachine> machine;
    std::optional<std::stop_callback<StopCandidacy>> on_stop;  // set before the machine starts, then its strand's
    bool over = false;                                         // guarded by mutex_: another may begin
    bool ended = false;                                        // guarded by mutex_: on_stopped_leading has returned
    std::vector<Ended::Done> waiting;                          // guarded by mutex_
  };

  Impl(rest::Client client, LeaderElectionOptions options, LeaderCallbacks callbacks)
      : client_(std::move(client)),
        options_(std::move(options)),
        callbacks_(std::move(callbacks)),
        endings_(client_.handlers()) {}

  static std::shared_ptr<Impl> make(rest::Client client, LeaderElectionOptions options, LeaderCallbacks callbacks) {
    const auto made = std::make_shared<Impl>(std::move(client), std::move(options), std::move(callbacks));
    made->waits_ = std::make_shared<Waits>(Strand(made->client_.executor()));
    return made;
  }

  std::shared_ptr<Candidacy> start(const std::stop_token& stop) {
    const auto candidacy = std::make_shared<Candidacy>();
    candidacy->machine = std::make_shared<LeaderMachine>(client_, options_, callbacks_);
    {
      const std::lock_guard lock(mutex_);
      if (current_ && !current_->over) throw std::logic_error("LeaderElector: a candidacy is under way");
      if (closing_) {  // on_stopped_leading wants another one while the elector goes
        candidacy->over = candidacy->ended = true;
        return candidacy;
      }
      current_ = candidacy;
    }
    try {
      waits_->open();
      candidacy->on_stop.emplace(stop, StopCandidacy{candidacy->machine});
      const auto ended = [weak = weak_from_this(), weak_candidacy = std::weak_ptr(candidacy)] {
        const auto self = weak.lock();
        const auto over = weak_candidacy.lock();
        if (self && over) self->end(over);
      };
      candidacy->machine->start(ended, [waits = waits_] { waits->changed(); });
    } catch (...) {  // it never began: nobody waits for its end
      candidacy->on_stop.reset();
      const std::lock_guard lock(mutex_);
      candidacy->over = candidacy->ended = true;
      current_.reset();
      throw;
    }
    return candidacy;
  }

  void stop() {
    if (const auto candidacy = current()) candidacy->machine->stop();
  }

  void run(const std::stop_token& stop_token) {
    kubexx::detail::Awaited({client_.executor().get(), client_.handlers().get()}).possible().value();
    const auto over = ended(start(stop_token)).wait();
    if (over) return;
    stop();
    over.value();
  }

  void close() {
    std::shared_ptr<Candidacy> last;
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      if (current_ && !current_->ended) last = current_;
    }
    if (!last) return waits_->close("the elector is gone");
    last->machine->stop();
    Result<void> over;
    insist([&] { over = ended(last).wait(); });
    if (!over && !over.error().is_canceled()) report_error(over.error(), "leader election");
  }

  /// Of the given candidacy; none: of the current one when it begins.
  Ended ended(std::shared_ptr<Candidacy> candidacy) {
    return Ended(client_.executor(),
                 [self = shared_from_this(), candidacy](Ended::Done done) {
                   {
                     const std::lock_guard lock(self->mutex_);
                     const auto& which = candidacy ? candidacy : self->current_;
                     if (which && !which->ended) return which->waiting.push_back(std::move(done));
                   }
                   Ended::ready(self->client_.executor(), Result<void>()).start(std::move(done));
                 })
        .needs(client_.handlers());
  }

  ElectionStatus status() const {
    const auto candidacy = current();
    return candidacy ? candidacy->machine->status() : ElectionStatus();
  }
  Async<Result<ElectionStatus>> until(std::function<bool(const ElectionStatus&)> condition,
                                      ElectionWaitOptions options) const {
    const auto ask = [weak = weak_from_this()] {
      const auto self = weak.lock();
      return self ? self->status() : ElectionStatus();
    };
    return waits_->until(when<ElectionStatus>(ask, std::move(condition)), {std::move(options.stop), options.timeout});
  }

  std::shared_ptr<Candidacy> current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  std::shared_ptr<const LeaderMachine> machine() const {
    const auto candidacy = current();
    return candidacy ? candidacy->machine : nullptr;
  }

 private:
  // On the machine's strand.
  void end(const std::shared_ptr<Candidacy>& candidacy) {
    candidacy->on_stop.reset();
    waits_->close("the candidacy has ended");  // before the next one can begin and open them
    {
      const std::lock_guard lock(mutex_);
      candidacy->over = true;
    }
    endings_.post([self = shared_from_this(), candidacy] {
      const auto& told = self->callbacks_.on_stopped_leading;
      if (told) call_isolated("on_stopped_leading", told);
      self->tell_waiting(*candidacy);
    });
  }

  void tell_waiting(Candidacy& candidacy) {
    std::vector<Ended::Done> waiting;
    {
      const std::lock_guard lock(mutex_);
      candidacy.ended = true;
      waiting.swap(candidacy.waiting);
    }
    for (auto& done : waiting) {
      const auto& executor = client_.executor();
      executor->post(insisted_completion<Result<void>>(executor, std::move(done), {}));
    }
  }

  const rest::Client client_;
  const LeaderElectionOptions options_;
  const LeaderCallbacks callbacks_;
  const Strand endings_;  // on_stopped_leading, in order
  std::shared_ptr<Waits> waits_;
  mutable std::mutex mutex_;
  std::shared_ptr<Candidacy> current_;  // guarded by mutex_; the last one
  bool closing_ = false;                // guarded by mutex_
};

Result<std::unique_ptr<LeaderElector>> LeaderElector::create(rest::Client client, LeaderElectionOptions options,
                                                             LeaderCallbacks callbacks) {
  if (auto valid = options.validate(); !valid) return valid.error();
  if (!callbacks.on_started_leading) return Error::config("leader election: on_started_leading is needed");
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(Impl::make(std::move(client), std::move(options), std::move(callbacks))));
}

LeaderElector::LeaderElector(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

LeaderElector::~LeaderElector() {
  impl_->close();
}

void LeaderElector::start(std::stop_token stop) {
  impl_->start(stop);
}

void LeaderElector::stop() {
  impl_->stop();
}

Async<Result<void>> LeaderElector::ended_async() const {
  return impl_->ended(nullptr);
}

void LeaderElector::run(std::stop_token stop) {
  impl_->run(stop);
}

ElectionStatus LeaderElector::status() const {
  return impl_->status();
}

Async<Result<ElectionStatus>> LeaderElector::until_async(std::function<bool(const ElectionStatus&)> condition,
                                                         ElectionWaitOptions options) const {
  return impl_->until(std::move(condition), std::move(options));
}

Result<ElectionStatus> LeaderElector::wait_until(std::function<bool(const ElectionStatus&)> condition,
                                                 ElectionWaitOptions options) const {
  return until_async(std::move(condition), std::move(options)).wait();
}

bool LeaderElector::is_leader() const {
  return impl_->status().leading;
}

std::string LeaderElector::leader() const {
  return impl_->status().holder;
}

Result<void> LeaderElector::check(Duration tolerance) const {
  const auto machine = impl_->machine();
  return machine ? machine->check(tolerance) : Result<void>();
}

void LeaderHealth::watch(std::shared_ptr<const LeaderElector> elector) {
  const std::lock_guard lock(mutex_);
  elector_ = std::move(elector);
}

Result<void> LeaderHealth::check() const {
  std::shared_ptr<const LeaderElector> elector;
  {
    const std::lock_guard lock(mutex_);
    elector = elector_;
  }
  return elector ? elector->check(tolerance_) : Result<void>();
}

}  // namespace kubexx::election
