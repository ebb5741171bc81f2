#include "inspect/site.hpp"

#include <algorithm>
#include <utility>

#include "base/internal/random_token.hpp"
#include "inspect/assets.hpp"
#include "inspect/health_text.hpp"
#include "inspect/status_json.hpp"
#include "inspect/yaml_lines.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::inspect {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(250);
constexpr unsigned kTicksPerStatus = 4;
constexpr std::size_t kMostRows = 500;
constexpr std::size_t kLongestFilter = 256;
constexpr std::size_t kShownChanges = 10;
constexpr std::size_t kShownPaths = 50;
constexpr std::string_view kPlain = "text/plain; charset=utf-8";

Answer plain(int status, std::string message) {
  return {status, std::string(kPlain), std::move(message) + "\n"};
}

Health health_of(const std::vector<std::string>& complaints) {
  std::string all;
  for (const auto& each : complaints) all += (all.empty() ? "" : "; ") + each;
  return all.empty() ? Health() : Health(Error::config(all));
}

Answer error(int status, std::string_view message) {
  JsonText text;
  text.object([&] { text.field("error", message); });
  return {status, "application/json", text.take()};
}

void write_changes(JsonText& text, const std::vector<Change>& changes) {
  text.list("changes", [&] {
    for (const auto& change : changes) {
      text.object([&] {
        text.field("time", meta::MicroTime::from_wall(change.time).to_string());
        text.field("cause", to_string(change.cause));
        text.field("from", change.before.resource_version());
        text.field("to", change.after.resource_version());
        text.field("deleted", !change.after);
        text.list("paths", [&] {
          if (!change.after) return;
          for (const auto& path : meta::diff_paths(change.before.root(), change.after.root(), kShownPaths)) {
            text.value(std::string_view(path));
          }
        });
      });
    }
  });
}

}  // namespace

httpd::HeaderFields security_fields(std::string_view content_type) {
  return {{"content-type", std::string(content_type)},
          {"cache-control", "no-store"},
          {"content-security-policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"},
          {"cross-origin-opener-policy", "same-origin"},
          {"cross-origin-resource-policy", "same-origin"},
          {"referrer-policy", "no-referrer"},
          {"x-content-type-options", "nosniff"},
          {"x-frame-options", "DENY"}};
}

Site::Site(Settings settings, Access access, Executor& executor)
    : settings_(std::move(settings)),
      access_(std::move(access)),
      executor_(executor),
      catalog_(executor.clock()),
      events_(settings_.max_pages, executor.clock()),
      instance_(random_token()),
      prober_(make_checks(), settings_.health_patience, executor) {}

/// What every page checks, then what the program does; docs/health.md lists them.
std::vector<std::shared_ptr<const HealthChecks>> Site::make_checks() {
  auto own = std::make_shared<HealthChecks>(executor_.clock());
  own->add("ping", HealthProbe::Both, [] { return Health(); }).release();
  own->add("informer-sync", HealthProbe::Readiness,
           [this] { return health_of(readiness(catalog_.entries()).unsynced); })
      .release();
  own->add("informer-freshness", HealthProbe::Readiness,
           [this] { return health_of(readiness(catalog_.entries()).stale); })
      .release();
  std::vector<std::shared_ptr<const HealthChecks>> all{std::move(own)};
  if (settings_.health) all.push_back(settings_.health);
  return all;
}

void Site::set_metrics(std::shared_ptr<MetricsRegistry> metrics, bool only_if_none) {
  const std::lock_guard lock(metrics_mutex_);
  if (only_if_none && metrics_) return;
  metrics_ = std::move(metrics);
  metrics_->add_process_figures();
}

void Site::handle(httpd::Request request, const httpd::Responder& responder) {
  executor_.post([this, request = std::move(request), responder] {
    const auto target = Target::parse(request.target);
    if (target.path == "/events" && request.method == "GET" && !access_.refuse(request, target) &&
        access_.has_token(request, target)) {
      return stream(responder);
    }
    answer(request, [responder](Answer answered) {
      auto fields = security_fields(answered.type);
      std::ranges::move(answered.fields, std::back_inserter(fields));
      responder.respond(answered.status, std::move(fields), std::move(answered.body));
    });
  });
}

void Site::answer(const httpd::Request& request, std::function<void(Answer answer)> done) {
  const auto target = Target::parse(request.target);
  if (const auto refusal = access_.refuse(request, target)) {
    auto answered = plain(refusal->status, refusal->message);
    if (refusal->status == 405) answered.fields.emplace_back("allow", "GET, HEAD");
    return done(std::move(answered));
  }
  const auto query = HealthQuery::parse(target);
  if (!query) return done(respond(request, target));
  const bool allowed = access_.has_token(request, target);
  prober_.ask(query->probe, [this, query = *query, allowed, done = std::move(done)](const HealthReport& report) {
    auto text = health_text(query, report, allowed, settings_.standby_is_ready);
    done({text.status, std::string(kPlain), std::move(text.body)});
  });
}

Answer Site::respond(const httpd::Request& request, const Target& target) {
  const bool allowed = access_.has_token(request, target);
  if (const Asset* asset = find_asset(target.path)) return {200, std::string(asset->type), std::string(asset->content)};
  if (target.path == "/metrics" && settings_.open_metrics) return metrics();
  if (!allowed) {
    auto answered = error(401, "this needs the token: open the address that the program printed");
    answered.fields.emplace_back("www-authenticate", "Bearer");
    return answered;
  }
  if (target.path == "/metrics") return metrics();
  return api(target);
}

Answer Site::metrics() {
  std::shared_ptr<MetricsRegistry> registry;
  {
    const std::lock_guard lock(metrics_mutex_);
    registry = metrics_ ? metrics_ : MetricsRegistry::process();
  }
  return {200, "text/plain; version=0.0.4; charset=utf-8", registry->expose()};
}

Answer Site::api(const Target& target) {
  JsonText text;
  if (target.path == "/api/status") return {200, "application/json", status_text(catalog_.entries())};
  if (target.path == "/api/rows") return rows(target);
  if (target.path == "/api/object") return object(target);
  if (target.path == "/api/informers") {
    text.object([&] { write_informers(text, catalog_.entries()); });
  } else if (target.path == "/api/queues" && settings_.queues) {
    text.object([&] { write_queues(text); });
  } else if (target.path == "/api/controllers" && settings_.controllers) {
    text.object([&] { write_controllers(text); });
  } else {
    return error(404, "there is no such page");
  }
  return {200, "application/json", text.take()};
}

Answer Site::rows(const Target& target) {
  const auto entry = catalog_.find(target.text("informer"));
  if (!entry) return error(404, "there is no such informer");
  entry->changes();  // whoever looks at the table will look at objects
  RowQuery query;
  query.filter = target.text("filter").substr(0, kLongestFilter);
  query.sort = target.text("sort");
  query.descending = target.flag("desc");
  query.offset = target.number("offset", 0, SIZE_MAX);
  query.limit = target.number("limit", 100, kMostRows);
  const auto window = entry->rows().find(entry->informer().indexer()->snapshot(), query, executor_.clock().now());
  return {200, "application/json", to_json(window, entry->rows().columns())};
}

Answer Site::object(const Target& target) {
  const auto entry = catalog_.find(target.text("informer"));
  if (!entry) return error(404, "there is no such informer");
  const auto key = target.text("key");
  const auto changes = entry->changes()->of(key, kShownChanges);
  auto object = entry->informer().indexer()->find(key);
  const bool gone = !object;
  if (gone && !changes.empty() && !changes.front().after) object = changes.front().before;
  if (!object) return error(404, "there is no such object");

  // What the newest update did to the object as it is now.
  meta::Object before;
  if (!gone && !changes.empty() && changes.front().after) before = changes.front().before;
  const auto view = render_yaml(object, before, target.flag("reveal"));
  JsonText text;
  text.object([&] {
    text.field("key", key);
    text.field("kind", object.kind());
    text.field("rv", object.resource_version());
    text.field("bytes", object.byte_size() + object.shared_bytes());
    text.field("gone", gone);
    text.field("secret", view.secret);
    text.field("revealed", view.secret && target.flag("reveal"));
    text.list("lines", [&] {
      for (const auto& line : view.lines) {
        text.object([&] {
          text.field("t", line.text);
          if (line.changed) text.field("c", true);
          if (!line.was.empty()) text.field("w", line.was);
        });
      }
    });
    write_changes(text, changes);
  });
  return {200, "application/json", text.take()};
}

std::string Site::status_text(const std::vector<std::shared_ptr<Entry>>& entries) {
  JsonText text;
  text.object([&] {
    text.field("title", settings_.title);
    text.field("instance", instance_);
    text.field("time", meta::MicroTime::from_wall(executor_.clock().wall()).to_string());
    text.field("ready", readiness(entries).ready());
    write_informers(text, entries);
    if (settings_.queues) write_queues(text);
    if (settings_.controllers) write_controllers(text);
  });
  return text.take();
}

void Site::stream(const httpd::Responder& responder) {
  const auto entries = catalog_.entries();
  auto fields = security_fields("text/event-stream");
  fields.emplace_back("x-accel-buffering", "no");
  const auto first = sse_message("history", history_json(entries)) + sse_message("status", status_text(entries));
  if (events_.open(responder, std::move(fields), first)) return;
  auto refused = security_fields("application/json");
  refused.emplace_back("retry-after", "5");
  responder.respond(503, std::move(refused), error(503, "too many pages are open").body);
}

/// Once a second the whole state, in between only that a cache changed.
void Site::tick(unsigned number) {
  const auto entries = catalog_.entries();
  const bool whole = number % kTicksPerStatus == 0;
  if (whole) {
    for (const auto& entry : entries) {
      entry->sample();
      entry->rows().forget_unused(executor_.clock().now());
    }
  }
  if (events_.size() > 0) {
    if (whole) events_.send(sse_message("status", status_text(entries)));
    if (auto versions = versions_json(entries); versions != versions_) {
      if (!whole) events_.send(sse_message("versions", versions));
      versions_ = std::move(versions);
    }
  }
  executor_.post_after(kTick, [this, next = number + 1] { tick(next); });
}

}  // namespace kubexx::inspect
