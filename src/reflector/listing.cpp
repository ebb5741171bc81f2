#include <algorithm>
#include <utility>

#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"
#include "reflector/machine.hpp"

namespace kubexx::reflector {
namespace {

constexpr std::int64_t kDefaultPageSize = 500;
constexpr Duration kLeastPoll = std::chrono::seconds(1);

}  // namespace

/// "0" (anything cached) the first time, unless we were told of more; then never older than what we have, and "" once a
/// version was refused.
std::string Reflector::Impl::relist_version() const {
  if (versions.unavailable || versions.went_back) return "";
  if (!last_version.empty()) return last_version;
  return options.not_older_than.empty() ? "0" : options.not_older_than;
}

void Reflector::Impl::start_list(Listing next) {
  next.progress = meta::ListProgress(options.list_limits);
  next.version = next.verifying ? last_version : relist_version();
  initial_items.store(0, std::memory_order_relaxed);
  lists_counter.add();
  {
    const std::lock_guard lock(mutex);
    ++seldom.lists;
  }
  enter(std::move(next)).span = begin_span(SpanKind::List, "list");
  list_page();
}

void Reflector::Impl::list_page() {
  const auto asked_in = ++generation;  // nothing more is taken from the page before
  auto& listing = std::get<Listing>(state);
  meta::ListOptions query;
  if (!listing.continue_token.empty()) {
    query.continue_token = listing.continue_token;  // pins the version: no other may be asked for
  } else {
    query.resource_version = listing.version;
    if (listing.verifying) query.resource_version_match = "Exact";
  }
  if (!listing.unlimited) {
    if (options.page_size > 0) {
      query.limit = options.page_size;
    } else if (listing.verifying || server.zero_was_paged || listing.version.empty() || listing.version == "0") {
      query.limit = kDefaultPageSize;
    }  // a list at a version is answered from the server's cache in one piece
  }
  const TraceScope scope(listing.span);
  auto call = own(source->list(
      query, strand, incoming([](Impl& machine, const Result<meta::ListMeta>& end) { machine.list_end(end); })));
  if (generation == asked_in) listing.call = std::move(call);  // else the source has answered already
}

void Reflector::Impl::list_item(meta::Object item) {
  auto* listing = std::get_if<Listing>(&state);
  if (!listing) return;  // of the answer to a question for the version
  if (auto more = listing->progress.add(); !more) return list_failed(more.error());
  if (!item.kind().empty() && !of_expected_kind(item)) {
    if (!std::exchange(listing->skipped, true)) {
      log(LogLevel::Warning, "skipped objects of a list",
          {{"reflector", options.name}, {"kind", item.kind()}, {"expected", options.type_description}});
    }
    return count_skipped();
  }
  if (!admitted(item)) return;
  listing->items.push_back(prefer_known(std::move(item)));
  initial_items.store(listing->items.size(), std::memory_order_relaxed);
}

void Reflector::Impl::list_end(const Result<meta::ListMeta>& result) {
  if (!result) return list_failed(result.error());
  if (is_table(result->kind, result->api_version)) {
    return list_failed(Error::decode("the server answered with a Table instead of objects"));
  }
  auto& listing = std::get<Listing>(state);
  if (listing.continue_token.empty()) {
    listing.first_version = result->resource_version;
    if (listing.version == "0" && !result->continue_token.empty()) server.zero_was_paged = true;
  }
  if (!result->continue_token.empty()) {
    listing.continue_token = result->continue_token;
    if (auto more = listing.progress.end_page(listing.continue_token); !more) return list_failed(more.error());
    return list_page();
  }
  if (!deliver(std::move(listing.items), listing.first_version, false)) return;
  if (server.unwatchable || !source->supports_watch()) return poll();
  start_watch();
}

/// Without a watch: the same list again after a while.
void Reflector::Impl::poll() {
  auto& polling = enter(Polling{});
  polling.resync = arm_resync();
  polling.next = OwnTimer(after(std::max(options.poll_interval, kLeastPoll), [this] {
    versions.unavailable = true;  // the most recent state
    round();
  }));
}

void Reflector::Impl::list_failed(const Error& error) {
  if (error.is_canceled()) return end_round("canceled", nullptr, false);
  auto& listing = std::get<Listing>(state);
  if (error.is_expired() && !listing.continue_token.empty() && !listing.unlimited) {
    // The pages' version is gone: one list without pages at the version that was asked for.
    listing.unlimited = true;
    listing.items.clear();
    listing.continue_token.clear();
    listing.progress = meta::ListProgress(options.list_limits);
    return list_page();
  }
  const bool refused = listing.verifying && (error.is_bad_request() || error.is_invalid());
  if ((error.is_expired() || error.is_too_large_resource_version() || refused) && !listing.retried) {
    end_span("refused_version", &error);
    versions.unavailable = true;
    note_error(error);
    return start_list({.retried = true});
  }
  const auto failure = error.with_context("failed to list " + options.type_description);
  end_round("list_failed", &failure, true);
}

/// A whole state goes to the sink; false if it was refused and the round is over.
bool Reflector::Impl::deliver(std::vector<meta::Object> objects, const std::string& version, bool by_watch_list) {
  const auto count = objects.size();
  const bool repairs = !version.empty() && version == last_version;  // what differs was wrong
  // A namespace that came later has no version of its own, and must not have one behind what the others had.
  const auto order =
      meta::compare_resource_versions(version, last_version.empty() ? options.not_older_than : last_version);
  if (!versions.went_back && order && *order == std::strong_ordering::less) {
    tell_rollback();
    if (versions.reused) {  // what was not read may be of the other history
      versions.went_back = true;
      count_restart("versions_went_back");
      round();
      return false;
    }
  }
  auto taken = repairs ? sink->repair(std::move(objects), version) : sink->replace(std::move(objects), version);
  if (!taken) {
    const auto failure = taken.error().with_context("unable to sync " + options.type_description);
    end_round("replace_failed", &failure, true);
    return false;
  }
  end_list_span(count, version);
  versions = {};
  watches.since_whole_state = false;
  const auto now = strand.clock().now();
  if (!due.resync) due.resync = detail::after(now, options.resync_period);
  due.verify = detail::after(now, options.verify_every);
  initial_items.store(count, std::memory_order_relaxed);
  last_activity.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex);
    last_version = version;
    seldom.synced_once = true;
    seldom.used_watch_list = by_watch_list;
    seldom.last_error.reset();
    seldom.attempts = 0;
  }
  changed();
  return true;
}

}  // namespace kubexx::reflector
