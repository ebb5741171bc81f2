#include "election/leader_lease.hpp"

#include <algorithm>

#include "kubexx/meta/json.hpp"

namespace kubexx::election {
namespace {

constexpr std::int64_t kLongestLease = 365LL * 24 * 3600;

}  // namespace

LeaseRecord LeaseRecord::of(const meta::Object& lease) {
  const auto spec = lease["spec"];
  return {std::string(spec["holderIdentity"].string()), spec["leaseDurationSeconds"].int_or(0),
          std::string(spec["acquireTime"].string()), std::string(spec["renewTime"].string()),
          spec["leaseTransitions"].int_or(0)};
}

void LeaseRecord::write_to(meta::Draft& lease) const {
  const auto spec = lease["spec"];
  spec["holderIdentity"].set(holder);
  spec["leaseDurationSeconds"].set(duration_seconds);
  spec["leaseTransitions"].set(transitions);
  if (!acquired.empty()) spec["acquireTime"].set(acquired);
  if (!renewed.empty()) spec["renewTime"].set(renewed);
}

Duration LeaseRecord::duration(Duration fallback) const {
  if (duration_seconds <= 0) return fallback;
  return std::chrono::seconds(std::min(duration_seconds, kLongestLease));
}

std::int64_t whole_seconds(Duration duration) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(duration).count();
  return std::max<std::int64_t>(seconds, 1);
}

rest::Request lease_request(std::string method, const std::string& namespace_, const std::string& name,
                            const meta::Object& body) {
  rest::Request request;
  request.method = std::move(method);
  request.path.resource = {"coordination.k8s.io", "v1", "leases"};
  request.path.namespace_ = namespace_;
  request.path.name = name;
  if (body) request.body = meta::to_json(body);
  return request;
}

meta::Draft new_lease(const std::string& namespace_, const std::string& name) {
  meta::Draft lease;
  lease["apiVersion"].set("coordination.k8s.io/v1");
  lease["kind"].set("Lease");
  lease["metadata"]["name"].set(name);
  lease["metadata"]["namespace"].set(namespace_);
  return lease;
}

struct LeaseCall::Current {
  std::unique_ptr<meta::Call> call;
  Timer timer;
  UniqueFunction<void(Result<rest::Response>)> done;
};

void LeaseCall::start(rest::Request request, Duration timeout, UniqueFunction<void(Result<rest::Response>)> done) {
  cancel();
  const auto current = std::make_shared<Current>();
  current_ = current;
  current->done = std::move(done);
  // Whoever comes second finds another current one; a destroyed LeaseCall left none behind.
  const std::weak_ptr<Current> weak = current;
  current->timer = strand_.post_after(timeout, [this, weak] {
    if (const auto late = weak.lock()) finish(late, Error::timeout("no answer in time"));
  });
  current->call = client_.start(std::move(request), strand_, [this, weak](Result<rest::Response> answer) {
    if (const auto answered = weak.lock()) finish(answered, std::move(answer));
  });
}

void LeaseCall::finish(const std::shared_ptr<Current>& current, Result<rest::Response> answer) {
  if (current != current_) return;
  current_.reset();
  current->timer.cancel();
  current->call.reset();
  auto done = std::move(current->done);
  done(std::move(answer));
}

void LeaseCall::cancel() {
  const auto current = std::exchange(current_, nullptr);
  if (!current) return;
  current->timer.cancel();
  current->call.reset();
}

}  // namespace kubexx::election
