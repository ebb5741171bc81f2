#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "base/internal/trace_span.hpp"
#include "rest/client_impl.hpp"

namespace kubexx::rest {

/// Which lost connections a call retries by itself (answers with Retry-After are retried by every one).
enum class RetryKind { GetOnly, Always, Never };

/// One request with its retries, delivered on a strand. Derived classes take the answer: a body, a list, a watch,
/// bytes.
///
/// Bytes travel from the I/O thread through a queue of at most 1 MB; beyond that the stream pauses until the strand has
/// caught up. Everything below runs on the strand.
class CallCore : public std::enable_shared_from_this<CallCore> {
 public:
  CallCore(std::shared_ptr<Client::Impl> client, Request request, Strand strand, RetryKind retry,
           std::optional<Duration> timeout);
  virtual ~CallCore();

  void begin();                  // from any thread
  void cancel();                 // on the strand; nothing is delivered afterwards
  void hold() { held_ = true; }  // on the strand
  void resume();                 // on the strand

 protected:
  /// A 2xx answer begins; an Error ends the call with it.
  virtual Result<void> accept(int status, const transport::Headers& headers) = 0;
  virtual Result<void> take(std::string_view bytes) = 0;
  /// Is the answer wanted byte for byte while it comes?
  virtual bool live() const noexcept { return false; }
  /// Exactly once, last. Null: the body ended well.
  virtual void finished(const Error* error) = 0;
  /// Ended or canceled, perhaps inside take(): nothing more may be delivered but finished().
  virtual void stopped() {}

  const Request& request() const noexcept { return request_; }
  Client::Impl& client() const noexcept { return *client_; }
  const Strand& strand() const noexcept { return strand_; }

 private:
  class Pump;
  template <class Step>
  void guarded(Step&& step);
  void set_deadline();
  void attempt();
  void send(transport::Headers credentials);
  void drain(const std::shared_ptr<Pump>& pump);
  void on_headers(int status, const transport::Headers& headers);
  void on_data(std::string_view bytes);
  void on_end(const std::optional<Error>& error);
  void conclude(const Error* error);
  bool retry_after(Duration delay, const Error& error);
  void drop_exchange();
  void count_failure(const Error& error);

  std::shared_ptr<Client::Impl> client_;
  Request request_;
  Strand strand_;
  const Verb verb_;
  RetryKind retry_;
  std::optional<TimePoint> deadline_;
  Timer deadline_timer_;
  Timer retry_timer_;
  std::shared_ptr<Pump> pump_;
  std::unique_ptr<transport::Exchange> exchange_;
  int attempts_ = 0;
  bool done_ = false;
  bool held_ = false;
  bool counted_ = false;  // the attempt is in the metrics
  TraceSpan span_;        // since it was asked for
  std::uint64_t received_ = 0;
  std::optional<Error> previous_;
  TimePoint sent_;
  // the answer under way
  int status_ = 0;
  transport::Headers headers_;
  std::string error_body_;
};

/// What a caller holds: destroying it cancels the call.
class CallHandle final : public meta::Call {
 public:
  explicit CallHandle(std::shared_ptr<CallCore> core) : core_(std::move(core)) {}
  ~CallHandle() override { core_->cancel(); }
  void hold() override { core_->hold(); }
  void resume() override { core_->resume(); }

 private:
  std::shared_ptr<CallCore> core_;
};

}  // namespace kubexx::rest
