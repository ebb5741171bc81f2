// What starts when, and what ends when; see the states in the header.
#include "manager/manager_impl.hpp"

#include <stdexcept>

#include "kubexx/base/log.hpp"

namespace kubexx::manager {

void Manager::Impl::OnStop::operator()() const noexcept {
  strand.post([weak = manager, todo = what] {
    if (const auto self = weak.lock()) ((*self).*todo)();
  });
}

void Manager::Impl::start(std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) throw std::logic_error("a manager was started twice");
  }
  strand_.post([self = shared_from_this(), stop = std::move(stop)]() mutable {
    self->begin();
    self->on_stop_.emplace(std::move(stop), OnStop{self, &Impl::begin_stop, self->strand_});
  });
}

void Manager::Impl::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!started_) return;
  }
  post([](Impl& self) { self.begin_stop(); });
}

void Manager::Impl::begin() {
  state_ = ManagerState::Starting;
  board_->set(state_);
  make_sequences();
  always_->start({}, [weak = weak_from_this()](const Result<void>& up) {
    if (const auto self = weak.lock()) self->all_up(up);
  });
}

void Manager::Impl::all_up(const Result<void>& up) {
  if (state_ != ManagerState::Starting) return;
  if (!up) return begin_stop(up.error());
  state_ = ManagerState::Running;
  board_->set(state_);
  log(LogLevel::Info, "everything is up", {{"election", elector_ ? "standing" : "none"}});
  if (!elector_) return;
  standing_ = true;
  elector_->start();
}

void Manager::Impl::begin_term(const election::LeaderGuard& guard, std::shared_ptr<void> hold) {
  if (state_ != ManagerState::Running) return;  // the lease is given back
  in_term_ = true;
  waits_->changed();
  hold_ = std::move(hold);
  leading_->start(guard, [weak = weak_from_this()](const Result<void>& up) {
    const auto self = weak.lock();
    if (self && !up) self->begin_stop(up.error());
  });
  on_term_stop_.emplace(guard.stop_token(), OnStop{weak_from_this(), &Impl::end_term, strand_});
}

void Manager::Impl::end_term() {
  if (!std::exchange(in_term_, false)) return;
  leading_->stop([weak = weak_from_this()](const Result<void>& ended) {
    if (const auto self = weak.lock()) self->term_over(ended);
  });
}

/// Work that does not end cannot write through its guard any more, and the program ends: the lease may go.
void Manager::Impl::term_over(const Result<void>& ended) {
  on_term_stop_.reset();
  if (state_ == ManagerState::Stopping) {
    note(ended);
  } else if (leading_->has_stuck()) {
    begin_stop(ended ? Error::timeout("a component of a term before does not end") : ended.error());
  } else {
    leading_->show(ComponentState::Standby);
  }
  hold_.reset();
}

void Manager::Impl::candidacy_over() {
  standing_ = false;
  if (state_ == ManagerState::Stopping) return stop_rest();
  const auto lease = options_.election->namespace_ + "/" + options_.election->name;
  log(LogLevel::Warning, "leadership was lost", {{"lease", lease}});
  if (options_.on_lost_leadership == LostLeadership::End) {
    return begin_stop(Error::timeout("the leadership of lease " + lease + " was lost"));
  }
  standing_ = true;
  elector_->start();
  waits_->changed();
}

void Manager::Impl::begin_stop(std::optional<Error> reason) {
  if (state_ == ManagerState::Stopping || state_ == ManagerState::Ended) return;
  state_ = ManagerState::Stopping;
  if (reason) {
    reason_ = reason;
    board_->set_reason(*reason);
  }
  board_->set(state_);
  if (!standing_) return stop_rest();
  elector_->stop();  // fires the token of a term, and comes back as candidacy_over()
}

void Manager::Impl::stop_rest() {
  always_->stop([weak = weak_from_this()](const Result<void>& ended) {
    if (const auto self = weak.lock()) self->finish(ended);
  });
}

void Manager::Impl::note(const Result<void>& result) {
  if (!result && !reason_) reason_ = result.error();
}

void Manager::Impl::finish(const Result<void>& ended) {
  note(ended);
  on_stop_.reset();
  state_ = ManagerState::Ended;
  board_->set(state_);
  const Result<void> result = reason_ ? Result<void>(*reason_) : Result<void>();
  std::vector<Ended::Done> waiting;
  {
    const std::lock_guard lock(mutex_);
    result_ = result;
    has_ended_ = true;
    waiting.swap(waiting_);
  }
  waits_->close("the manager has ended");
  for (auto& done : waiting) {
    const auto& executor = client_.executor();
    executor->post(kubexx::detail::completing<Result<void>>(executor, std::move(done), result));
  }
}

Manager::Impl::Ended Manager::Impl::ended() {
  return Ended(client_.executor(),
               [self = shared_from_this()](Ended::Done done) {
                 Result<void> result;
                 {
                   const std::lock_guard lock(self->mutex_);
                   if (self->started_ && !self->has_ended_) return self->waiting_.push_back(std::move(done));
                   result = self->result_;
                 }
                 Ended::ready(self->client_.executor(), result).start(std::move(done));
               })
      .needs(client_.handlers());
}

}  // namespace kubexx::manager
