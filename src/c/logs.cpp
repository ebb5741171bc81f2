#include <algorithm>
#include <atomic>
#include <chrono>

#include "c/boundary.hpp"
#include "c/client.hpp"
#include "c/options.hpp"
#include "kubexx/logs/log_streams.hpp"

struct kubexx_log_line {
  const kubexx::logs::LogOrigin& origin;
  const kubexx::logs::LogLine* line = nullptr;  // null: no line, of a problem the place alone
};

struct kubexx_logs {
  std::shared_ptr<kubexx::c::LoopUse> loop;  // null: its client has threads; goes last
  kubexx::rest::Client client;
  std::shared_ptr<kubexx::logs::LogStreams> streams;
  std::atomic<bool> started{false};
};

namespace kubexx::c {
namespace {

logs::LogStreamsOptions read_log_options(const kubexx_options* options, const Clock& clock) {
  const Given given(options, {KUBEXX_OPTION_NAMESPACE, KUBEXX_OPTION_LABEL_SELECTOR, KUBEXX_OPTION_FIELD_SELECTOR,
                              KUBEXX_OPTION_CONTAINER, KUBEXX_OPTION_SINCE_MS, KUBEXX_OPTION_TAIL_LINES,
                              KUBEXX_OPTION_MAX_STREAMS, KUBEXX_OPTION_MAX_LINE_BYTES});
  logs::LogStreamsOptions how;
  how.scope.namespaces = given.texts(KUBEXX_OPTION_NAMESPACE);
  how.scope.label_selector = well_formed(meta::LabelSelector::parse(given.text(KUBEXX_OPTION_LABEL_SELECTOR)));
  how.scope.field_selector = well_formed(meta::FieldSelector::parse(given.text(KUBEXX_OPTION_FIELD_SELECTOR)));
  if (auto names = given.texts(KUBEXX_OPTION_CONTAINER); !names.empty()) {
    how.wants = [names = std::move(names)](const meta::Object&, std::string_view container) {
      return std::ranges::find(names, container) != names.end();
    };
  }
  if (const auto since = given.milliseconds(KUBEXX_OPTION_SINCE_MS))
    how.since = clock.wall() - std::chrono::duration_cast<std::chrono::milliseconds>(*since);
  how.tail_lines = given.number(KUBEXX_OPTION_TAIL_LINES);
  if (const auto most = given.number(KUBEXX_OPTION_MAX_STREAMS)) how.max_streams = static_cast<std::size_t>(*most);
  if (const auto most = given.number(KUBEXX_OPTION_MAX_LINE_BYTES))
    how.max_line_bytes = static_cast<std::size_t>(*most);
  return how;
}

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_logs_new(kubexx_client* client, const kubexx_options* options, kubexx_on_log_line on_line,
                              kubexx_on_log_problem on_problem, void* user_data, kubexx_release release,
                              kubexx_logs** logs, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& with = kubexx::c::needed(client, "client");
    kubexx::c::needed(on_line, "on_line");
    kubexx::c::needed(logs, "logs");
    auto how = kubexx::c::read_log_options(options, with.client.handlers()->clock());
    const auto data = std::make_shared<kubexx::c::UserData>(user_data);
    how.on_line = [on_line, data](const kubexx::logs::LogLine& line) {
      const kubexx_log_line shown{line.origin, &line};
      const kubexx::c::Callback callback;
      on_line(&shown, data->get());
    };
    how.on_problem = [on_problem, data](const kubexx::logs::LogOrigin& origin, const kubexx::Error& why) {
      if (!on_problem) return;
      const kubexx_log_line where{origin};
      const auto shown = kubexx::c::as_c(why);
      const kubexx::c::Callback callback;
      on_problem(&where, &shown, data->get());
    };
    if (const auto valid = how.validate(); !valid) kubexx::c::invalid(valid.error().message());
    std::shared_ptr made = kubexx::logs::LogStreams::create(with.client, std::move(how)).value();
    *logs = new kubexx_logs{with.loop, with.client, std::move(made)};
    data->take(release);
  });
}

kubexx_status kubexx_logs_start(kubexx_logs* logs, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    auto& handle = kubexx::c::needed(logs, "logs");
    if (handle.started.exchange(true)) kubexx::c::misuse("the logs were started already");
    std::shared_ptr(handle.streams)->start();  // the first line's callback may free the handle
  });
}

void kubexx_logs_stop(kubexx_logs* logs) {
  kubexx::c::ending("kubexx_logs_stop", [&] {
    if (logs) std::shared_ptr(logs->streams)->stop();
  });
}

int kubexx_logs_has_synced(const kubexx_logs* logs) {
  return kubexx::c::guarded_or(0, [&] { return logs && logs->streams->status().synced ? 1 : 0; });
}

int64_t kubexx_logs_open(const kubexx_logs* logs) {
  return kubexx::c::guarded_or(std::int64_t{0},
                               [&] { return logs ? static_cast<std::int64_t>(logs->streams->status().open) : 0; });
}

int64_t kubexx_logs_gaps(const kubexx_logs* logs) {
  return kubexx::c::guarded_or(std::int64_t{0},
                               [&] { return logs ? static_cast<std::int64_t>(logs->streams->status().gaps) : 0; });
}

void kubexx_logs_free(kubexx_logs* logs) {
  kubexx::c::ending("kubexx_logs_free", [&] {
    if (!logs) return;
    logs->streams->stop();
    const auto executor = logs->client.handlers();
    // Its destructor waits for its callbacks.
    std::unique_ptr<kubexx_logs> last(logs);
    kubexx::c::outside_callbacks(executor, [last = std::move(last)]() mutable { last.reset(); });
  });
}

kubexx_view kubexx_log_line_text(const kubexx_log_line* line) {
  return kubexx::c::view(line && line->line ? line->line->text : std::string_view());
}

kubexx_view kubexx_log_line_namespace(const kubexx_log_line* line) {
  return kubexx::c::view(line ? line->origin.namespace_ : std::string_view());
}

kubexx_view kubexx_log_line_pod(const kubexx_log_line* line) {
  return kubexx::c::view(line ? line->origin.pod : std::string_view());
}

kubexx_view kubexx_log_line_uid(const kubexx_log_line* line) {
  return kubexx::c::view(line ? line->origin.uid : std::string_view());
}

kubexx_view kubexx_log_line_container(const kubexx_log_line* line) {
  return kubexx::c::view(line ? line->origin.container : std::string_view());
}

int64_t kubexx_log_line_restarts(const kubexx_log_line* line) {
  return line ? line->origin.restarts : 0;
}

int64_t kubexx_log_line_time_ns(const kubexx_log_line* line) {
  if (!line || !line->line) return 0;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(line->line->time.time_since_epoch()).count();
}

int kubexx_log_line_continues(const kubexx_log_line* line) {
  return line && line->line && line->line->continues ? 1 : 0;
}

int kubexx_log_line_after_gap(const kubexx_log_line* line) {
  return line && line->line && line->line->after_gap ? 1 : 0;
}
