#include "client/page_source.hpp"

#include <utility>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::client {

void turn_to(ListOptions& options, const std::string& continue_token) {
  options.continue_token = continue_token;
  options.resource_version.clear();
  options.resource_version_match.clear();
}

void fetch_page(const Pager::AsyncPage& page, const ListOptions& options, const std::shared_ptr<Executor>& executor,
                UniqueFunction<void(Result<ObjectList>)> done) {
  const auto ask = [&]() -> Async<Result<ObjectList>> {
    try {
      return page(options);
    } catch (...) {
      return Async<Result<ObjectList>>::ready(executor, current_exception_as_error());
    }
  };
  ask().on(executor).start(std::move(done));
}

Prefetch::Prefetch(Pager::AsyncPage page, std::shared_ptr<Executor> executor, ListOptions first, std::size_t buffer)
    : executor_(std::move(executor)),
      buffer_(buffer),
      stop_({first.stop}),
      page_(std::move(page)),
      progress_(first.limits),
      options_(std::move(first)) {
  options_.stop = stop_.token();
}

Async<Result<std::optional<ObjectList>>> Prefetch::next() {
  return Async<Next>(executor_, [self = shared_from_this()](Async<Next>::Done done) {
    {
      const std::lock_guard lock(self->mutex_);
      self->asked_ = std::move(done);
    }
    self->go_on();
  });
}

Async<Result<void>> Prefetch::end() {
  return Async<Result<void>>(executor_, [self = shared_from_this()](Async<Result<void>>::Done done) {
    self->stop_.request_stop();
    {
      const std::lock_guard lock(self->mutex_);
      self->over_ = true;
      self->ending_ = std::move(done);
    }
    self->go_on();
  });
}

bool Prefetch::wants_fetch_locked() const {
  return !over_ && !fetching_ && (pages_.size() < buffer_ || (pages_.empty() && asked_));
}

std::optional<Prefetch::Next> Prefetch::answer_locked() {
  if (stop_.token().stop_requested()) return Next(Error::canceled("list"));
  if (!pages_.empty()) {
    auto page = std::move(pages_.front());
    pages_.pop_front();
    return Next(std::optional<ObjectList>(std::move(page)));
  }
  if (!over_) return std::nullopt;
  return error_ ? Next(*error_) : Next(std::optional<ObjectList>());
}

/// Answers who waits and begins the next fetch, whatever is possible now.
void Prefetch::go_on() {
  std::optional<Next> answer;
  Async<Next>::Done asked;
  Async<Result<void>>::Done ending;
  bool fetch = false;
  {
    const std::lock_guard lock(mutex_);
    if (asked_) answer = answer_locked();
    if (answer) asked = std::exchange(asked_, nullptr);
    fetch = wants_fetch_locked();
    if (fetch) fetching_ = true;
    if (ending_ && !fetching_) ending = std::exchange(ending_, nullptr);
  }
  if (fetch) {
    fetch_page(page_, options_, executor_,
               [self = shared_from_this()](Result<ObjectList> page) { self->fetched(std::move(page)); });
  }
  if (answer) executor_->post(detail::completing<Next>(executor_, std::move(asked), std::move(*answer)));
  if (ending) {
    page_ = nullptr;
    executor_->post(detail::completing<Result<void>>(executor_, std::move(ending), {}));
  }
}

void Prefetch::fetched(Result<ObjectList> page) {
  if (page) {
    if (auto more = progress_.page(page->items.size(), page->meta.continue_token); !more) page = more.error();
  }
  {
    const std::lock_guard lock(mutex_);
    fetching_ = false;
    if (page) {
      over_ = over_ || page->meta.continue_token.empty();
      turn_to(options_, page->meta.continue_token);
      pages_.push_back(std::move(*page));
    } else {
      over_ = true;
      error_ = page.error();
    }
  }
  go_on();
}

}  // namespace kubexx::client
