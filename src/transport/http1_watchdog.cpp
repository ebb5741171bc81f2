#include "transport/http1_watchdog.hpp"

#include <algorithm>
#include <vector>

#include "base/internal/insist.hpp"
#include "transport/http1_transfer.hpp"

namespace kubexx::transport {

/// The smallest question of HTTP, without credentials; many servers answer it before they look for a handler.
class Http1Probe final : public EndpointTransfer {
 public:
  using Done = std::function<void(bool by_the_server)>;
  Http1Probe(CurlMulti& multi, Endpoint endpoint, Done done)
      : EndpointTransfer(multi, std::move(endpoint), "/"), done_(std::move(done)) {
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_CUSTOMREQUEST, "OPTIONS");
    set(CURLOPT_REQUEST_TARGET, "*");
    set(CURLOPT_NOBODY, 1L);
    // A connection that was idle may be broken for reasons of its own.
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    add(header_list_, "Accept:");
    set(CURLOPT_HTTPHEADER, header_list_);
    start();
  }

 private:
  void on_done(CURLcode) override {
    long status = 0;
    curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
    Done done = std::move(done_);  // it destroys this object
    done(status != 0);
  }
  Done done_;
};

Http1Watchdog::Http1Watchdog(CurlMulti& multi, const TransportOptions& options, MakeEndpoint endpoint)
    : multi_(&multi), options_(&options), endpoint_(std::move(endpoint)) {}

Http1Watchdog::~Http1Watchdog() {
  for (auto& [name, origin] : origins_) {
    if (origin.timer) multi_->loop().cancel(*origin.timer);
  }
}

void Http1Watchdog::add(Http1Transfer& transfer) {
  if (options_->read_idle <= Duration::zero()) return;
  Origin& origin = origins_[transfer.endpoint().target.origin()];
  insist([&] { origin.transfers.insert(&transfer); });
  if (!origin.timer) arm(origin, multi_->loop().now() + options_->read_idle, &Http1Watchdog::check);
}

void Http1Watchdog::remove(Http1Transfer& transfer) {
  for (auto& [name, origin] : origins_) origin.transfers.erase(&transfer);  // looking for its name would need memory
}

void Http1Watchdog::answered(const Http1Transfer& transfer) {
  const auto found = origins_.find(transfer.endpoint().target.origin());
  if (found == origins_.end() || found->second.answers_beside) return;
  for (const Http1Transfer* other : found->second.transfers)
    found->second.answers_beside |= other != &transfer && other->answered();
}

// One timer an origin, left alone while calls come and go: most of them end long before it fires.
void Http1Watchdog::arm(Origin& origin, TimePoint when, void (Http1Watchdog::*then)(Origin&)) {
  if (origin.timer) multi_->loop().cancel(*origin.timer);
  origin.timer = multi_->loop().at(when, [this, &origin, then] {
    origin.timer.reset();
    (this->*then)(origin);
  });
}

/// Since when the one that is silent for longest has been so. One whose reader pauses is silent because of us.
std::optional<TimePoint> Http1Watchdog::oldest_silence(const Origin& origin) const {
  std::optional<TimePoint> oldest;
  for (const Http1Transfer* transfer : origin.transfers) {
    if (!transfer->expects_bytes()) continue;
    oldest = std::min(oldest.value_or(TimePoint::max()), transfer->last_heard());
  }
  return oldest;
}

void Http1Watchdog::check(Origin& origin) {
  const TimePoint now = multi_->loop().now();
  if (origin.transfers.empty()) return;
  const TimePoint due = std::max(oldest_silence(origin).value_or(now), origin.alive) + options_->read_idle;
  if (due > now) return arm(origin, due, &Http1Watchdog::check);
  origin.probed = now;
  const Target target = (*origin.transfers.begin())->endpoint().target;
  origin.probe = std::make_unique<Http1Probe>(
      *multi_, endpoint_(target), [this, &origin](bool by_the_server) { probe_answered(origin, by_the_server); });
  const Duration patience =
      options_->ping_timeout > Duration::zero() ? options_->ping_timeout : std::chrono::seconds(15);
  arm(origin, now + patience, &Http1Watchdog::probe_overdue);
}

void Http1Watchdog::probe_answered(Origin& origin, bool by_the_server) {
  origin.alive = multi_->loop().now();
  origin.answers_beside |= by_the_server;
  origin.probe.reset();
  arm(origin, origin.alive + options_->read_idle, &Http1Watchdog::check);
}

// This thread may have been stopped itself: what waits in the sockets is read first.
void Http1Watchdog::probe_overdue(Origin& origin) {
  multi_->loop().defer([this, &origin, existing = std::weak_ptr<bool>(existing_)] {
    if (!existing.expired() && origin.probe) give_up(origin);
  });
}

void Http1Watchdog::give_up(Origin& origin) {
  origin.probe.reset();
  std::vector<Http1Transfer*> silent;
  bool heard = false;
  for (Http1Transfer* transfer : origin.transfers) {
    heard |= transfer->last_heard() > origin.probed;
    if (transfer->expects_bytes() && transfer->last_heard() + options_->read_idle <= origin.probed)
      silent.push_back(transfer);
  }
  arm(origin, multi_->loop().now() + options_->read_idle, &Http1Watchdog::check);
  if (heard || !origin.answers_beside) return;
  for (Http1Transfer* transfer : silent) transfer->give_up();
}

}  // namespace kubexx::transport
