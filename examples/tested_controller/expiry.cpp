#include "expiry.hpp"

#include <charconv>
#include <optional>

#include "kubexx/controller/controller.hpp"
#include "kubexx/meta/time.hpp"

namespace tested_controller {

using namespace kubexx;
using api::core::v1::ConfigMap;
using controller::Action;

namespace {

constexpr std::int64_t kLongest = 10LL * 365 * 24 * 3600;  // more is a mistake, and would overflow a clock

Result<std::chrono::seconds> seconds_of(std::string_view text) {
  std::int64_t seconds = -1;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (wrong != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > kLongest) {
    return Error::config(std::string(kTtl) + ": \"" + std::string(text) + "\" is no number of seconds");
  }
  return std::chrono::seconds(seconds);
}

}  // namespace

Expiry::Expiry(const rest::Client& client, informer::Informer<ConfigMap> maps, const Clock& clock)
    : client_(client), maps_(std::move(maps)), clock_(&clock) {}

Result<Action> Expiry::reconcile(const meta::ObjectKey& key, std::stop_token stop) const {
  const auto map = maps_.lister().get(key);
  if (!map) return Action::done();  // gone already
  const auto ttl = (*map)["metadata"]["annotations"][kTtl].get_string();
  if (!ttl) return Action::done();
  const auto seconds = seconds_of(*ttl);
  if (!seconds) return Action::give_up(seconds.error());
  const auto created = meta::Time::parse(map->creation_timestamp());
  if (!created) return Action::give_up(created.error());

  const Duration rest = created->wall() + *seconds - clock_->wall();
  if (rest > Duration::zero()) return Action::requeue_after(rest);

  // The cache may be late. What is removed is what was read: if somebody changed it since, the server says Conflict,
  // and the next try sees the change.
  client::DeleteOptions exactly;
  exactly.uid = map->uid();
  exactly.resource_version = map->resource_version();
  exactly.stop = std::move(stop);
  const auto removed = client::Api<ConfigMap>(client_, key.namespace_).remove(key.name, exactly);
  if (!removed && !removed.error().is_not_found()) return removed.error();
  return Action::done();
}

Result<void> run(const rest::Client& client, std::stop_token stop, const Options& options,
                 const informer::FactoryOptions& informers) {
  informer::SharedInformerFactory factory(client, informers);
  controller::Controller<ConfigMap> controller(factory, {.name = "expiry", .rate_limiter = options.rate_limiter});
  const Expiry expiry(client, controller.informer(), *options.clock);
  factory.start(stop);
  return controller.run(
      stop, [&](const meta::ObjectKey& key, std::stop_token until) { return expiry.reconcile(key, std::move(until)); });
}

}  // namespace tested_controller
