#include "kubexx/logs/log_streams.hpp"

#include "kubexx/base/error_sink.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "logs/log_streams_impl.hpp"

namespace kubexx::logs {
namespace {

const meta::GroupVersionResource kPods{"", "v1", "pods"};

/// What is needed of a pod, and what a filter of containers may want to know.
meta::Projection projection() {
  return meta::Projection::paths({"metadata.labels", "metadata.annotations", "spec.nodeName", "spec.containers.name",
                                  "spec.initContainers.name", "spec.ephemeralContainers.name", "status.phase",
                                  "status.containerStatuses", "status.initContainerStatuses",
                                  "status.ephemeralContainerStatuses"})
      .value();
}

informer::Scope whole_scope(informer::Scope scope) {
  if (!scope.projection) scope.projection = projection();
  return scope;
}

/// An informer of its own, without a factory: who stops it need not wait for it.
std::shared_ptr<informer::SharedIndexInformer> informer_of(const rest::Client& client, const informer::Scope& scope) {
  const auto make = [client](const informer::Scope& wanted, const std::string& namespace_) {
    informer::ClientSourceOptions source;
    source.namespace_ = namespace_;
    source.format = rest::Format::Protobuf;
    if (wanted.projection) source.projection = *wanted.projection;
    source.tweak = [wanted](meta::ListOptions& query) {
      if (wanted.label_selector) query.label_selector = wanted.label_selector->to_string();
      if (wanted.field_selector) query.field_selector = wanted.field_selector->to_string();
    };
    return informer::make_client_lister_watcher(client, kPods, std::move(source));
  };
  informer::InformerOptions options;
  options.scope = whole_scope(scope);
  options.name = "logs/pods";
  options.description = "pods";
  options.resource = kPods;
  options.executor = client.executor();
  options.handlers = client.handlers();
  options.metrics = client.metrics();
  return informer::SharedIndexInformer::create(make, std::move(options));
}

void keep_if(bool in, const LogSource& source, std::set<const LogSource*>& sources) {
  if (in) {
    sources.insert(&source);
  } else {
    sources.erase(&source);
  }
}

}  // namespace

Result<void> LogStreamsOptions::validate() const {
  if (!on_line) return Error::config("log streams: nobody takes the lines (on_line)");
  if (max_streams == 0) return Error::config("log streams: max_streams must be 1 or more");
  if (max_line_bytes < 64) return Error::config("log streams: max_line_bytes must be 64 or more");
  if (tail_lines && *tail_lines < 0) return Error::config("log streams: tail_lines must be 0 or more");
  if (scope.metadata_only.value_or(false)) {
    return Error::config("log streams: the metadata of pods do not name their containers");
  }
  return {};
}

std::shared_ptr<LogStreams::Impl> LogStreams::Impl::make(rest::Client client, LogStreamsOptions options) {
  auto made = std::make_shared<Impl>(std::move(client), std::move(options));
  made->connect();
  return made;
}

LogStreams::Impl::Impl(rest::Client client, LogStreamsOptions options)
    : client_(std::move(client)),
      options_(std::move(options)),
      api_(client_, kPods),
      strand_(client_.executor()),
      delivery_(client_.handlers()),
      pods_(informer_of(client_, options_.scope)),
      slots_(options_.max_streams) {}

Result<void> LogStreams::Impl::set_scope(const informer::Scope& scope) {
  return pods_->set_scope(whole_scope(scope));
}

void LogStreams::Impl::connect() {
  const auto hears = [weak = weak_from_this()](const meta::Object& pod, bool there_at_start) {
    if (const auto self = weak.lock()) self->hear(pod, there_at_start);
  };
  informer::ResourceEventHandlerFuncs<meta::Object> handler;
  handler.on_add = [hears](const meta::Object& pod, bool initial) { hears(pod, initial); };
  handler.on_update = [hears](const meta::Object&, const meta::Object& pod) { hears(pod, false); };
  handler.on_delete = [weak = weak_from_this()](const informer::Deleted<meta::Object>& gone) {
    const auto self = weak.lock();
    if (!self || !gone.last_known()) return;
    self->strand_.post([weak, uid = std::string(gone.last_known().uid())] {
      if (const auto alive = weak.lock()) alive->remove(uid);
    });
  };
  heard_ = pods_->add_event_handler(std::move(handler), {.split_replaced = true, .name = "log streams"});
}

void LogStreams::Impl::start(const std::stop_token& stop) {
  started_ = true;
  pods_->start(stop);
  const std::lock_guard lock(link_mutex_);  // lines come from here on, and the first may be the reason to close
  linked_.emplace(stop, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->stop();
  });
}

void LogStreams::Impl::stop() {
  if (stopping_.exchange(true)) return;
  pods_->stop();
  // The last task of each strand is the end. What still waits for on_line is passed over.
  pods_->on_end([self = shared_from_this()] {
    self->strand_.post([self] {
      self->drop_all();
      self->delivery_.post([ended = self->ended_] { ended->tell(); });
    });
  });
}

void LogStreams::Impl::close() {
  stop();
  {
    const std::lock_guard lock(link_mutex_);
    linked_.reset();
  }
  if (!started_) return;
  const auto over = ended_->wait({client_.executor().get(), client_.handlers().get()});
  if (!over) report_error(over.error(), "log streams");
}

LogStreamsStatus LogStreams::Impl::status() const {
  const bool heard_all = heard_.has_synced() && heard_of_ == acted_on_;
  auto error = pods_->status().reflector.last_error;
  const std::lock_guard lock(mutex_);
  LogStreamsStatus status = counts_;
  status.synced = heard_all;
  if (error && !error->is_canceled()) status.last_error = std::move(error);
  return status;
}

/// In the informer's handler, where the user's filter may be called.
void LogStreams::Impl::hear(const meta::Object& pod, bool there_at_start) {
  LogOrigin origin;
  origin.namespace_ = pod.namespace_();
  origin.pod = pod.name();
  origin.uid = pod.uid();
  ++heard_of_;
  strand_.post([weak = weak_from_this(), origin = std::move(origin), containers = wanted(pod), there_at_start] {
    if (const auto self = weak.lock()) self->update(origin, containers, there_at_start);
  });
}

LogStreams::Impl::Wanted LogStreams::Impl::wanted(const meta::Object& pod) const {
  Wanted found;
  for (const std::string_view name : container_names(pod)) {
    bool wants = true;
    if (options_.wants) {
      wants = false;
      call_isolated("log streams", [&] { wants = options_.wants(pod, name); });
    }
    if (wants) found.emplace_back(name, container_state(pod, name));
  }
  return found;
}

void LogStreams::Impl::update(const LogOrigin& pod, const Wanted& containers, bool there_at_start) {
  if (!stopping_) {
    for (const auto& [container, state] : containers) {
      auto& source = sources_[{pod.uid, container}];
      if (!source) {
        LogOrigin origin = pod;
        origin.container = container;
        SourceOptions wanted{options_.since,          there_at_start ? options_.tail_lines : std::nullopt,
                             options_.max_line_bytes, options_.max_waiting_bytes,
                             options_.backoff,        options_.drain};
        source = std::make_shared<LogSource>(*this, strand_, std::move(origin), wanted);
      }
      const auto held = source;
      held->update(state);
      changed(*held);
    }
  }
  ++acted_on_;
}

void LogStreams::Impl::remove(const std::string& uid) {
  std::vector<std::shared_ptr<LogSource>> of_pod;
  for (auto at = sources_.lower_bound({uid, ""}); at != sources_.end() && at->first.first == uid; ++at) {
    of_pod.push_back(at->second);
  }
  for (const auto& source : of_pod) source->remove();
}

void LogStreams::Impl::want_slot(const std::shared_ptr<LogSource>& source) {
  slots_.add(source);
  grant_later();
}

void LogStreams::Impl::leave_slot(LogSource& source) {
  slots_.leave(source);
  changed(source);
  grant_later();
}

/// As a task of its own: a source that has nothing to read gives its slot back at once.
void LogStreams::Impl::grant_later() {
  strand_.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    while (const auto source = self->slots_.next()) {
      source->granted();
      self->changed(*source);
    }
  });
}

std::unique_ptr<meta::Call> LogStreams::Impl::open(const LogOrigin& origin, const client::LogOptions& query,
                                                   rest::ByteCallbacks callbacks) {
  return api_.namespaced(origin.namespace_).start_logs(origin.pod, query, strand_, std::move(callbacks));
}

void LogStreams::Impl::deliver(const std::shared_ptr<LogSource>& source, LineBatch batch) {
  {
    const std::lock_guard lock(mutex_);
    counts_.waiting_bytes += batch.bytes();
  }
  delivery_.post([weak = weak_from_this(), source, batch = std::move(batch)] {
    if (const auto self = weak.lock()) self->hand_over(source, batch);
  });
}

/// On the delivery's strand.
void LogStreams::Impl::hand_over(const std::shared_ptr<LogSource>& source, const LineBatch& batch) {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < batch.size() && !stopping_; ++i) {
    const LogLine line = batch.line(i);
    call_isolated("log line", [&] { options_.on_line(line); });
    ++lines;
    bytes += line.text.size();
  }
  {
    const std::lock_guard lock(mutex_);
    counts_.lines += lines;
    counts_.bytes += bytes;
    counts_.waiting_bytes -= batch.bytes();
  }
  strand_.post([weak = weak_from_this(), source, size = batch.bytes()] {
    const auto self = weak.lock();
    if (!self) return;
    source->consumed(size);
    self->changed(*source);
  });
}

void LogStreams::Impl::problem(const std::shared_ptr<const LogOrigin>& origin, const Error& error) {
  if (!options_.on_problem) return;
  delivery_.post([weak = weak_from_this(), origin, error] {
    const auto self = weak.lock();
    if (self && !self->stopping_) call_isolated("log problem", [&] { self->options_.on_problem(*origin, error); });
  });
}

void LogStreams::Impl::count_resumed() {
  const std::lock_guard lock(mutex_);
  ++counts_.resumed;
}

void LogStreams::Impl::count_gap() {
  const std::lock_guard lock(mutex_);
  ++counts_.gaps;
}

void LogStreams::Impl::ended(LogSource& source) {
  changed(source);
  sources_.erase({source.origin().uid, source.origin().container});
}

void LogStreams::Impl::changed(const LogSource& source) {
  keep_if(!source.finished(), source, unfinished_);
  keep_if(source.paused(), source, paused_);
  const std::lock_guard lock(mutex_);
  counts_.containers = unfinished_.size();
  counts_.paused = paused_.size();
  counts_.open = slots_.held();
  counts_.waiting = slots_.waiting();
}

void LogStreams::Impl::drop_all() {
  const auto all = std::move(sources_);
  sources_.clear();
  for (const auto& [key, source] : all) source->close();
}

Result<std::unique_ptr<LogStreams>> LogStreams::create(rest::Client client, LogStreamsOptions options) {
  if (auto valid = options.validate(); !valid) return valid.error();
  return std::unique_ptr<LogStreams>(new LogStreams(Impl::make(std::move(client), std::move(options))));
}

LogStreams::LogStreams(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

LogStreams::~LogStreams() {
  impl_->close();
}

void LogStreams::start(std::stop_token stop) {
  impl_->start(stop);
}

void LogStreams::stop() {
  impl_->stop();
}

Result<void> LogStreams::set_scope(const informer::Scope& scope) {
  return impl_->set_scope(scope);
}

LogStreamsStatus LogStreams::status() const {
  return impl_->status();
}

}  // namespace kubexx::logs
