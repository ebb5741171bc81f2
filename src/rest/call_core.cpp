#include "rest/call_core.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/internal/parse_number.hpp"
#include "kubexx/base/error_sink.hpp"
#include "rest/request_trace.hpp"

namespace kubexx::rest {
namespace {

constexpr std::size_t kHighWater = 1 << 20;
constexpr std::size_t kLowWater = 256 << 10;
constexpr std::size_t kBytesPerTurn = 256 << 10;  // then others on the strand get their turn
constexpr std::size_t kMaxErrorBody = 1 << 20;
constexpr std::size_t kSmall = 16 << 10;  // pieces up to which one grows
constexpr Duration kNetworkRetryDelay = std::chrono::seconds(1);
constexpr Duration kLongestPatience = std::chrono::minutes(1);  // a longer Retry-After is the caller's to wait for

std::optional<Duration> retry_after_header(const transport::Headers& headers) {
  const auto* text = headers.find("Retry-After");
  if (!text) return std::nullopt;
  const auto seconds = parse_number<int>(*text);
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

}  // namespace

/// Between the I/O thread and the strand.
class CallCore::Pump final : public transport::ResponseSink, public std::enable_shared_from_this<Pump> {
 public:
  struct Head {
    int status;
    transport::Headers headers;
  };
  struct End {
    std::optional<Error> error;
  };
  using Item = std::variant<Head, transport::Buffer, End>;

  Pump(std::weak_ptr<CallCore> core, Strand strand) : core_(std::move(core)), strand_(std::move(strand)) {}

  void on_headers(int status, const transport::Headers& headers) override {
    whole([&] { return push(Head{status, headers}, 0); });
  }
  bool on_data(transport::Buffer piece) override {
    const auto size = piece.size();
    return whole([&] { return push(std::move(piece), size); });
  }
  void on_end(const Error* error) override {
    whole([&] { return push(End{error ? std::optional(*error) : std::nullopt}, 0); });
  }

  /// A turn on the strand. To be called only by whoever made the pump scheduled, or found it so.
  void post() {
    strand_.post([self = shared_from_this()] {
      if (const auto core = self->core_.lock()) core->guarded([&] { core->drain(self); });
    });
  }

  /// The next item. With the last one, or none, the pump sleeps until the next push, which posts anew.
  std::optional<Item> next(bool& resume, bool& is_last) {
    const std::lock_guard lock(mutex_);
    is_last = broken_ || items_.size() <= 1;
    if (is_last) scheduled_ = false;
    if (broken_) return End{Error::transport(TransportFailure::Other, "out of memory in the middle of the answer")};
    if (items_.empty()) return std::nullopt;
    auto item = std::move(items_.front());
    items_.pop_front();
    if (const auto* piece = std::get_if<transport::Buffer>(&item)) bytes_ -= piece->size();
    resume = paused_ && bytes_ <= kLowWater;
    if (resume) paused_ = false;
    return item;
  }

 private:
  /// An answer with a hole in it is none: where there is no memory for a part, it ends there.
  template <class Step>
  bool whole(Step step) {
    try {
      return step();
    } catch (const std::bad_alloc&) {
      bool schedule = false;
      {
        const std::lock_guard lock(mutex_);
        broken_ = true;
        schedule = !std::exchange(scheduled_, true);
      }
      if (schedule) post();
      return true;
    }
  }

  bool push(Item item, std::size_t size) {
    bool schedule = false;
    bool go_on = true;
    {
      const std::lock_guard lock(mutex_);
      auto* last = items_.empty() ? nullptr : std::get_if<transport::Buffer>(&items_.back());
      const auto* piece = std::get_if<transport::Buffer>(&item);
      // A slow reader has a few full ones, not many with a little each.
      const bool fits = last && piece && (piece->size() <= last->room() || last->size() + piece->size() <= kSmall);
      if (fits) {
        last->append(piece->bytes());
      } else {
        items_.push_back(std::move(item));
      }
      bytes_ += size;
      if (bytes_ >= kHighWater) {
        paused_ = true;
        go_on = false;
      }
      schedule = !scheduled_;
      scheduled_ = true;
    }
    if (schedule) post();
    return go_on;
  }

  std::weak_ptr<CallCore> core_;
  Strand strand_;
  std::mutex mutex_;
  std::deque<Item> items_;  // guarded by mutex_
  std::size_t bytes_ = 0;   // guarded by mutex_
  bool paused_ = false;     // guarded by mutex_
  bool scheduled_ = false;  // guarded by mutex_
  bool broken_ = false;     // guarded by mutex_; something is missing
};

/// What runs on the strand for a call. Where it lacks memory the call ends with an Error: who waits for it hears of it.
template <class Step>
void CallCore::guarded(Step&& step) {
  const auto keep = shared_from_this();
  try {
    step();
  } catch (const std::bad_alloc&) {
    const auto failure = current_exception_as_error();
    conclude(&failure);
  }
}

CallCore::CallCore(std::shared_ptr<Client::Impl> client, Request request, Strand strand, RetryKind retry,
                   std::optional<Duration> timeout)
    : client_(std::move(client)),
      request_(std::move(request)),
      strand_(std::move(strand)),
      verb_(verb_of(request_)),
      retry_(retry),
      span_(begin_request_span(*client_, request_, verb_)) {
  if (timeout) deadline_ = strand_.clock().now() + *timeout;
}

CallCore::~CallCore() = default;

void CallCore::begin() {
  strand_.post([self = shared_from_this()] {
    if (self->done_) return;
    self->guarded([&] {
      self->set_deadline();
      self->attempt();
    });
  });
}

void CallCore::set_deadline() {
  if (!deadline_) return;
  deadline_timer_ = strand_.post_after(*deadline_ - strand_.clock().now(), [weak = weak_from_this()] {
    const auto core = weak.lock();
    if (!core || core->done_) return;
    core->guarded([&] {
      const auto late = Error::timeout("no answer in time");
      core->conclude(&late);
    });
  });
}

void CallCore::cancel() {
  done_ = true;
  retry_timer_.cancel();
  deadline_timer_.cancel();
  drop_exchange();
  span_ = {};
  stopped();
}

void CallCore::drop_exchange() {
  pump_.reset();
  exchange_.reset();
}

void CallCore::attempt() {
  ++attempts_;
  counted_ = false;
  const bool limited = client_->limiter && (attempts_ > 1 || retry_ != RetryKind::Always);
  const auto wait = limited ? client_->limiter->reserve() : Duration::zero();
  const auto go = [weak = weak_from_this()] {
    const auto core = weak.lock();
    if (!core || core->done_) return;
    core->guarded([&] {
      const bool authorized = core->request_.headers.find("Authorization") != nullptr;
      core->client_->credentials->prepare(core->strand_, authorized, [weak](Result<transport::Headers> headers) {
        const auto self = weak.lock();
        if (!self || self->done_) return;
        if (!headers) return self->conclude(&headers.error());
        self->guarded([&] { self->send(std::move(*headers)); });
      });
    });
  };
  if (wait > Duration::zero()) {
    retry_timer_ = strand_.post_after(wait, go);
  } else {
    go();
  }
}

void CallCore::send(transport::Headers credentials) {
  auto target = request_target(request_);
  if (!target) return conclude(&target.error());
  transport::Request wire;
  wire.method = request_.method;
  wire.url = client_->server.text() + *target;
  wire.body = request_.body;
  wire.headers = std::move(credentials);
  for (const auto& [name, value] : request_.headers.fields()) wire.headers.set(name, value);
  if (!wire.headers.find("Accept")) {
    wire.headers.add("Accept", !request_.accept.empty() ? request_.accept
                               : request_.format == Format::Protobuf
                                   ? "application/vnd.kubernetes.protobuf,application/json"
                                   : "application/json");
  }
  if (!request_.body.empty()) {
    wire.headers.set("Content-Type", request_.content_type.empty() ? "application/json" : request_.content_type);
  }
  wire.headers.set("User-Agent", client_->user_agent);
  wire.live = live();
  if (deadline_) wire.timeout = std::max(*deadline_ - strand_.clock().now(), Duration(1));
  if (request_.gate) {
    if (const auto closed = request_.gate->closed()) return conclude(&*closed);
    wire.gate = request_.gate;  // asked again when a connection is there
  }
  status_ = 0;
  error_body_.clear();
  sent_ = strand_.clock().now();
  pump_ = std::make_shared<Pump>(weak_from_this(), strand_);
  exchange_ = client_->transport->send(std::move(wire), pump_);
}

void CallCore::resume() {
  if (!std::exchange(held_, false)) return;
  strand_.post([weak = weak_from_this()] {
    const auto core = weak.lock();
    if (core && core->pump_) core->guarded([&] { core->drain(core->pump_); });
  });
}

/// Takes what has arrived, so much of it in one turn. Ends early when the call ended meanwhile, or when another attempt
/// took over.
void CallCore::drain(const std::shared_ptr<Pump>& pump) {
  const auto keep = shared_from_this();
  std::size_t taken = 0;
  while (!done_ && !held_ && pump == pump_) {
    if (taken >= kBytesPerTurn) return pump->post();
    bool resume = false;
    bool is_last = false;
    auto item = pump->next(resume, is_last);
    if (!item) return;
    if (resume && exchange_) exchange_->resume();
    if (auto* head = std::get_if<Pump::Head>(&*item)) {
      on_headers(head->status, head->headers);
    } else if (const auto* piece = std::get_if<transport::Buffer>(&*item)) {
      taken += piece->size();
      on_data(piece->bytes());
    } else {
      on_end(std::get<Pump::End>(*item).error);
    }
    if (is_last) return;
  }
}

void CallCore::on_headers(int status, const transport::Headers& headers) {
  status_ = status;
  headers_ = headers;
  counted_ = true;
  client_->requests->answered(verb_, status, std::chrono::duration<double>(strand_.clock().now() - sent_).count());
  for (const auto& text : warnings_of(headers)) client_->warn(text);
  if (status == 401) client_->credentials->rejected(sent_);
  if (status < 200 || status > 206) return;
  if (auto taken = accept(status, headers); !taken) conclude(&taken.error());
}

void CallCore::on_data(std::string_view bytes) {
  client_->bytes_received.add(static_cast<double>(bytes.size()));
  received_ += bytes.size();
  if (status_ >= 200 && status_ <= 206) {
    if (auto taken = take(bytes); !taken && !done_) conclude(&taken.error());
    return;
  }
  error_body_.append(bytes.substr(0, kMaxErrorBody - error_body_.size()));
  if (error_body_.size() == kMaxErrorBody) on_end(std::nullopt);  // an answer that may never end says enough
}

void CallCore::on_end(const std::optional<Error>& error) {
  const bool succeeded = status_ >= 200 && status_ <= 206;
  if (error) {
    const bool lost = error->is_connection_lost();
    const bool get = request_.method == "GET";
    const bool may = !succeeded && ((retry_ == RetryKind::GetOnly && get && lost) ||
                                    (retry_ == RetryKind::Always && (lost || error->kind() == ErrorKind::Timeout)));
    if (may && retry_after(kNetworkRetryDelay, *error)) return;
    return conclude(&*error);
  }
  if (succeeded) return conclude(nullptr);
  auto failure = error_of_response(status_, headers_, error_body_, request_);
  if (status_ == 401 && !request_.headers.find("Authorization")) failure = client_->credentials->explain(failure);
  const auto wait = retry_after_header(headers_);
  const bool patient = wait && *wait <= kLongestPatience && (status_ == 429 || status_ >= 500);
  if (patient && retry_after(*wait, failure)) return;
  if (wait && !failure.retry_after()) {
    failure = failure.with_retry_after(std::chrono::duration_cast<std::chrono::milliseconds>(*wait));
  }
  conclude(&failure);
}

bool CallCore::retry_after(Duration delay, const Error& error) {
  if (attempts_ > client_->options.max_retries) return false;
  if (deadline_ && strand_.clock().now() + delay >= *deadline_) return false;
  previous_ = error;
  client_->retries.add();
  count_failure(error);
  drop_exchange();
  retry_timer_ = strand_.post_after(delay, [weak = weak_from_this()] {
    const auto core = weak.lock();
    if (core && !core->done_) core->guarded([&] { core->attempt(); });
  });
  return true;
}

/// Of an attempt without an answer; one with an answer was counted when it came.
void CallCore::count_failure(const Error& error) {
  if (!std::exchange(counted_, true)) client_->requests->failed(verb_, error, exchange_ != nullptr);
}

void CallCore::conclude(const Error* error) {
  if (done_) return;
  std::optional<Error> last;
  if (error) last = *error;
  call_isolated("request", [&] {  // words and figures, for which there may be no memory
    if (error && previous_ && previous_->message() != error->message() && !error->is_canceled()) {
      last = error->with_context("after a retry (before: " + previous_->message() + ")");
    }
    if (error) count_failure(*error);
    span_.end([&] { return request_end_attributes(status_, attempts_, received_, last ? &*last : nullptr); });
  });
  const auto keep = shared_from_this();
  cancel();
  finished(last ? &*last : nullptr);
}

}  // namespace kubexx::rest
