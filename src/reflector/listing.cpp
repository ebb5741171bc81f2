#include <algorithm>
#include <utility>

#include "kubexx/base/log.hpp"
#include "reflector/machine.hpp"

namespace kubexx::reflector {
namespace {

constexpr std::int64_t kDefaultPageSize = 500;
constexpr Duration kLeastPoll = std::chrono::seconds(1);

/// Hands a list's calls to the machine while its generation lasts.
class ListReceiver final : public ListSink {
 public:
  using Item = UniqueFunction<void(meta::Object)>;
  using Bytes = UniqueFunction<void(std::size_t)>;
  using End = UniqueFunction<void(Result<meta::ListMeta>)>;
  ListReceiver(Item item, Bytes bytes, End end)
      : item_(std::move(item)), bytes_(std::move(bytes)), end_(std::move(end)) {}
  void on_item(meta::Object item) override { item_(std::move(item)); }
  void on_bytes(std::size_t received) override { bytes_(received); }
  void on_end(Result<meta::ListMeta> result) override { end_(std::move(result)); }

 private:
  Item item_;
  Bytes bytes_;
  End end_;
};

}  // namespace

/// "0" (anything cached) the first time, then never older than what we have, and "" once a version was refused.
std::string Reflector::State::relist_version() const {
  if (version_unavailable || versions_went_back) return "";
  return last_version.empty() ? "0" : last_version;
}

void Reflector::State::start_list() {
  items.clear();
  continue_token.clear();
  progress = meta::ListProgress(options.list_limits);
  list_skipped = false;
  first_version.clear();
  list_version = verifying ? last_version : relist_version();
  change_status([](ReflectorStatus& s) {
    ++s.lists;
    s.initial_items = 0;
    s.state = ReflectorState::Listing;
  });
  lists_counter.add();
  list_page();
}

void Reflector::State::list_page() {
  meta::ListOptions query;
  if (!continue_token.empty()) {
    query.continue_token = continue_token;  // pins the version: no other may be asked for
  } else {
    query.resource_version = list_version;
    if (verifying) query.resource_version_match = "Exact";
  }
  if (!list_unlimited) {
    if (options.page_size > 0) {
      query.limit = options.page_size;
    } else if (verifying || zero_was_paged || list_version.empty() || list_version == "0") {
      query.limit = kDefaultPageSize;
    }  // a list at a version is answered from the server's cache in one piece
  }
  auto receiver = std::make_shared<ListReceiver>(
      in_generation([this](meta::Object item) { list_item(std::move(item)); }),
      in_generation([this](std::size_t received) { count_bytes(received); }),
      in_generation([this](Result<meta::ListMeta> result) { list_end(std::move(result)); }));
  if (call) strand.post([done = std::move(call)] {});
  call = source->list(query, strand, std::move(receiver));
}

void Reflector::State::list_item(meta::Object item) {
  if (auto more = progress.add(); !more) return list_failed(more.error());
  if (!item.kind().empty() && !of_expected_kind(item)) {
    if (!std::exchange(list_skipped, true)) {
      log(LogLevel::Warning, "skipped objects of a list",
          {{"reflector", options.name}, {"kind", item.kind()}, {"expected", options.type_description}});
    }
    return count_skipped();
  }
  items.push_back(sink->prefer_known(std::move(item)));
  if (items.size() % 1000 == 0) {
    const auto count = items.size();
    change_status([count](ReflectorStatus& s) { s.initial_items = count; });
  }
}

void Reflector::State::list_end(Result<meta::ListMeta> result) {
  if (!result) return list_failed(result.error());
  if (is_table(result->kind, result->api_version)) {
    return list_failed(Error::decode("the server answered with a Table instead of objects"));
  }
  if (continue_token.empty()) {
    first_version = result->resource_version;
    if (list_version == "0" && !result->continue_token.empty()) zero_was_paged = true;
  }
  if (!result->continue_token.empty()) {
    continue_token = result->continue_token;
    if (auto more = progress.end_page(continue_token); !more) return list_failed(more.error());
    return list_page();
  }
  if (!deliver(std::move(items), first_version, false)) return;
  if (unwatchable || !source->supports_watch()) return poll();
  start_watch();
}

/// Without a watch: the same list again after a while.
void Reflector::State::poll() {
  enter(ReflectorState::Polling);
  arm_resync();
  after(std::max(options.poll_interval, kLeastPoll), [this] {
    version_unavailable = true;  // the most recent state
    round();
  });
}

void Reflector::State::list_failed(const Error& error) {
  if (error.is_canceled()) return end_round("canceled", nullptr, false);
  if (error.is_expired() && !continue_token.empty() && !list_unlimited) {
    // The pages' version is gone: one list without pages at the version that was asked for.
    list_unlimited = true;
    items.clear();
    continue_token.clear();
    progress = meta::ListProgress(options.list_limits);
    return list_page();
  }
  const bool refused = verifying && (error.is_bad_request() || error.is_invalid());
  if ((error.is_expired() || error.is_too_large_resource_version() || refused) && !list_retried) {
    list_retried = true;
    verifying = false;
    version_unavailable = true;
    list_unlimited = false;
    note_error(error);
    return start_list();
  }
  const auto failure = error.with_context("failed to list " + options.type_description);
  end_round("list_failed", &failure, true);
}

/// A whole state goes to the sink; false if the sink refused it and the round is over.
bool Reflector::State::deliver(std::vector<meta::Object> objects, const std::string& version, bool by_watch_list) {
  const auto count = objects.size();
  // The version we have already: what differs was wrong. Of several sources it is that of one.
  const bool repairs = !version.empty() && version == last_version && source->has_one_version();
  auto taken = repairs ? sink->repair(std::move(objects), version) : sink->replace(std::move(objects), version);
  if (!taken) {
    const auto failure = taken.error().with_context("unable to sync " + options.type_description);
    end_round("replace_failed", &failure, true);
    return false;
  }
  verifying = false;
  version_unavailable = false;
  versions_went_back = false;
  last_version = version;
  watched = false;
  const auto now = strand.clock().now();
  if (!next_resync) next_resync = detail::after(now, options.resync_period);
  next_verify = detail::after(now, options.verify_every);
  change_status([&](ReflectorStatus& s) {
    s.synced_once = true;
    s.used_watch_list = by_watch_list;
    s.last_sync_resource_version = version;
    s.last_error.reset();
    s.attempts = 0;
    s.initial_items = count;
    s.last_activity = now;
  });
  return true;
}

}  // namespace kubexx::reflector
