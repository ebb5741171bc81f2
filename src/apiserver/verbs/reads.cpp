#include "apiserver/verbs/reads.hpp"

#include <malloc.h>

#include "apiserver/http/respond.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/storage/continue_token.hpp"
#include "base/internal/parse_number.hpp"

namespace kubexx::apiserver {
namespace {

std::string bad_version(std::string_view text) {
  return "strconv.ParseUint: parsing " + in_quotes(text) + ": invalid syntax";
}

// What many watchers left unread lies between what lives on: the allocator gives such memory back only when told to.
void trim_later(Cluster& cluster) {
  constexpr std::size_t kWorthIt = 16 << 20;
  if (cluster.trim.pending() || cluster.hub.take_peak() < kWorthIt) return;
#ifdef __GLIBC__  // musl has no such function
  cluster.trim = cluster.environment.executor->post_after(std::chrono::seconds(1), [] { ::malloc_trim(0); });
#endif
}

}  // namespace

Result<Answer> serve_get(Cluster& cluster, Call& call) {
  const Bucket& bucket = *call.resource->bucket;
  const std::string_view version = call.route.query.get("resourceVersion");
  if (!version.empty()) {
    const auto asked = parse_number<std::uint64_t>(version);
    if (!asked) return bad_request("invalid resource version: " + bad_version(version));
    if (*asked > cluster.storage.version()) return too_large_version(*asked, cluster.storage.version());
  }
  const auto it = bucket.objects.find(storage_key(call.route.namespace_, call.route.name));
  if (it == bucket.objects.end()) return not_found(call.resource->group, call.resource->resource, call.route.name);
  Answer out;
  out.object = it->second;
  out.resource = call.resource;
  return out;
}

Result<Answer> serve_list(Cluster& cluster, Call& call) {
  auto options = list_options(call.route.query);
  if (!options) return options.error();
  if (auto fine = check_list_options(*options); !fine) return fine.error();
  auto filter = Filter::make(*call.resource, call.route.namespace_, "", *options);
  if (!filter) return filter.error();

  const Bucket& bucket = *call.resource->bucket;
  const std::uint64_t current = cluster.storage.version();
  std::uint64_t version = current;
  std::string start;
  std::size_t limit = options->limit > 0 ? static_cast<std::size_t>(options->limit) : 0;
  if (!options->continue_token.empty()) {
    if (!options->resource_version.empty() && options->resource_version != "0")
      return bad_request("specifying resource version is not allowed when using continue");
    auto token = ContinueToken::decode(options->continue_token);
    if (!token) return bad_request("invalid continue token: " + token.error().message());
    start = filter->prefix() + token->start;
    if (token->version > 0) {
      version = static_cast<std::uint64_t>(token->version);
      if (version > current) return too_large_version(version, current);
      if (version < bucket.floor) {
        call.continue_token = ContinueToken{-1, token->start}.encode();
        return too_old_continue();
      }
    }
  } else if (!options->resource_version.empty()) {
    const auto asked = parse_number<std::uint64_t>(options->resource_version);
    if (!asked) return bad_request("invalid resource version: " + bad_version(options->resource_version));
    if (*asked > current) return too_large_version(*asked, current);
    // Without a match rule a page of a given version means exactly that one; version 0 is served whole, from the cache.
    const bool exact = options->resource_version_match == "Exact" ||
                       (options->resource_version_match.empty() && limit > 0 && *asked > 0);
    if (exact) version = *asked;
    if (*asked == 0) limit = 0;
  }
  const auto page =
      cluster.storage.list_at(bucket, version, filter->prefix(), start, limit,
                              filter->selective() ? [&](const meta::Object& object) { return filter->matches(object); }
                                                  : std::function<bool(const meta::Object&)>());
  if (!page) return too_old_list();
  Answer out;
  out.is_list = true;
  out.resource = call.resource;
  out.items = page->objects;
  out.list.resource_version = std::to_string(version);
  if (!page->next.empty()) {
    // Goes on right behind the last key shown.
    const meta::Object& last = page->objects.back();
    const std::string key =
        storage_key(call.route.namespace_.empty() ? last.namespace_() : std::string_view(), last.name());
    out.list.continue_token = ContinueToken{static_cast<std::int64_t>(version), key + '\0'}.encode();
    if (!filter->selective()) out.list.remaining_item_count = static_cast<std::int64_t>(page->remaining);
  }
  return out;
}

Result<Answer> serve_watch(Cluster& cluster, Call& call) {
  if (!call.resource->bucket) return method_not_allowed();
  auto options = list_options(call.route.query);
  if (!options) return options.error();
  options->watch = true;
  if (auto fine = check_list_options(*options); !fine) return fine.error();
  auto filter = Filter::make(*call.resource, call.route.namespace_, call.route.name, *options);
  if (!filter) return filter.error();
  const bool unset = options->resource_version.empty() || options->resource_version == "0";
  std::uint64_t version = 0;
  if (!unset) {
    const auto asked = parse_number<std::uint64_t>(options->resource_version);
    if (!asked) {
      return Error::api(500, "",
                        "resourceVersion: Invalid value: " + in_quotes(options->resource_version) + ": " +
                            bad_version(options->resource_version));
    }
    version = *asked;
  }
  if (cluster.hub.size() >= cluster.environment.options.max_watches) return too_many_requests(1);

  auto watcher = std::make_shared<Watcher>();
  watcher->id = cluster.hub.next_id();
  watcher->resource = call.resource;
  watcher->filter = std::move(*filter);
  watcher->form = call.form;
  watcher->namespace_ = call.route.namespace_;
  watcher->user_agent = call.request.header("user-agent");
  watcher->out = call.out;
  watcher->bookmarks = options->allow_watch_bookmarks;
  cluster.faults.afflict(*watcher);

  cluster.environment.log.set_status(call.ticket, 200);
  watcher->out->start(200, base_headers(cluster.environment, content_type(watcher->form.format, true)));
  const Bucket& bucket = *call.resource->bucket;
  const bool initial = options->send_initial_events.value_or(unset);
  Answer out;
  out.sent = true;
  const auto fail = [&](const Error& error) {
    cluster.hub.send_error(*watcher, status_object(error));
    watcher->out->finish();
    return out;
  };
  if (options->send_initial_events.value_or(false) && version > cluster.storage.version())
    return fail(too_large_version(version, cluster.storage.version()));
  if (!unset && !initial && version < bucket.floor) return fail(too_old_version(version, cluster.storage.version()));

  Duration timeout = cluster.environment.options.default_watch_timeout;
  if (const std::int64_t seconds = options->timeout_seconds.value_or(0); seconds > 0) {
    timeout = std::chrono::seconds(std::min<std::int64_t>(seconds, 24 * 3600));
  } else {
    timeout += Duration(
        static_cast<Duration::rep>(static_cast<double>(timeout.count()) * cluster.environment.random.uniform()));
  }
  watcher->after = unset ? cluster.storage.version() : version;
  try {
    cluster.hub.add(watcher, timeout);
    watcher->out->on_close(cluster.guard([&cluster, id = watcher->id] {
      cluster.hub.forget(id);
      trim_later(cluster);
    }));
    if (initial) {
      cluster.hub.send_state(*watcher);
      if (options->send_initial_events && watcher->bookmarks) cluster.hub.send_bookmark(*watcher, true);
    } else if (!unset) {
      cluster.hub.replay(*watcher);
    }
  } catch (...) {  // it would wait for what never comes
    cluster.hub.abort(watcher->id);
    throw;
  }
  return out;
}

}  // namespace kubexx::apiserver
