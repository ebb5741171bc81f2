#include "kubexx/agent/node_pods.hpp"

#include <cstdlib>
#include <mutex>

#include "agent/owner_cache.hpp"
#include "agent/pod_index.hpp"
#include "agent/pod_source.hpp"
#include "kubexx/agent/identity.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/informer/sync.hpp"

namespace kubexx::agent {
namespace {

using informer::SharedIndexInformer;

constexpr const char* kNodeName = "NODE_NAME";
constexpr Duration kOwnerTimeout = std::chrono::seconds(30);
constexpr const char* kMetadataAlone =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;drop=metadata.managedFields,application/json";

std::string variable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* value = std::getenv(name);
  return value ? value : "";
}

rest::Request request_for(const detail::OwnerQuestion& question) {
  rest::Request request;
  request.path = {question.resource, question.namespace_, question.name, {}};
  request.accept = kMetadataAlone;
  return request;
}

Result<meta::Object> metadata_of(const Result<rest::Response>& answer) {
  if (!answer) return answer.error();
  static const auto kReferences = meta::Projection::paths({"metadata.ownerReferences"}).value();
  return answer->object({.projection = kReferences});
}

}  // namespace

Result<void> NodePodsOptions::validate() const {
  if (node_name.empty())
    return Error::config("pods of this node: no node_name is given, and the variable NODE_NAME is not set");
  if (keep_ended < Duration::zero() || refresh_owners < Duration::zero())
    return Error::config("pods of this node: keep_ended and refresh_owners must not be negative");
  if (find_owners && owner_requests == 0) return Error::config("pods of this node: owner_requests must not be 0");
  return {};
}

/// Everything that changes does so under one mutex, for as long as it takes to write down one pod; look-ups do not meet
/// it. Requests are sent and timers set with it held: neither runs anything at once.
class KUBEXX_HIDDEN NodePods::Impl : public std::enable_shared_from_this<Impl> {
 public:
  static std::shared_ptr<Impl> make(const rest::Client& client, NodePodsOptions options) {
    const auto made = std::make_shared<Impl>(client, std::move(options));
    made->listen();
    return made;
  }

  Impl(const rest::Client& client, NodePodsOptions options)
      : options_(std::move(options)),
        client_(client),
        informer_(make_pod_informer(client, options_.node_name)),
        index_(options_.keep_ended, options_.most_ended),
        owners_({options_.owner_requests,
                 options_.refresh_owners,
                 {.initial = std::chrono::seconds(1), .cap = std::chrono::minutes(5)}},
                client.executor()->clock()) {}

  void start(const std::stop_token& stop) { informer_->start(stop); }
  void stop() {
    informer_->stop();
    halt();
  }
  /// Blocks, unless it has ended before.
  void close() {
    stop();
    if (!informer_->has_started()) return;
    const auto over = ended_->wait({client_.executor().get(), client_.handlers().get()});
    if (!over) report_error(over.error(), "pods of a node");
  }

  const detail::LookupTable& table() const noexcept { return index_.table(); }
  const NodePodsOptions& options() const noexcept { return options_; }
  const std::shared_ptr<SharedIndexInformer>& informer() const noexcept { return informer_; }
  const informer::Registration& registration() const noexcept { return registration_; }

  NodePodsStatus status() const {
    const bool synced = registration_.has_synced();
    const std::lock_guard lock(mutex_);
    return {options_.node_name, synced,          index_.pods(),     index_.ended(),
            table().size(),     owners_.known(), owners_.pending(), owners_.last_error()};
  }

 private:
  void listen() {
    informer::ResourceEventHandlerFuncs<meta::Object> handler;
    handler.on_add = [weak = weak_from_this()](const meta::Object& pod) {
      if (const auto self = weak.lock()) self->put(pod);
    };
    handler.on_update = [weak = weak_from_this()](const meta::Object&, const meta::Object& pod) {
      if (const auto self = weak.lock()) self->put(pod);
    };
    handler.on_delete = [weak = weak_from_this()](const informer::Deleted<meta::Object>& gone) {
      if (const auto self = weak.lock()) self->end(gone.key());
    };
    registration_ = informer_->add_event_handler(std::move(handler), {.name = "pods of this node"});
    informer_->on_end([weak = weak_from_this(), ended = ended_] {
      if (const auto self = weak.lock()) self->halt();  // stopped by the token of start(), perhaps
      ended->tell();
    });
  }

  /// Nothing is asked or timed from now on.
  void halt() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      timer_.cancel();
    }
    stopping_.request_stop();
  }

  void put(const meta::Object& pod) {
    auto record = detail::read_pod(pod);
    const std::lock_guard lock(mutex_);
    if (const auto question = detail::question_about(record); !question) {
      record.owner_known = true;
    } else if (const auto known = options_.find_owners ? owners_.find_or_ask(*question) : std::nullopt) {
      record.owner_known = true;
      record.above = known->above;
    }
    index_.put(std::move(record), now());
    go_on_locked();
  }
  void end(const std::string& key) {
    const std::lock_guard lock(mutex_);
    index_.end(key, now());
    go_on_locked();
  }

  /// Sends what is to be sent, and says when to look again.
  void go_on_locked() {
    if (closed_) return;
    while (const auto question = owners_.next()) ask(*question);
    const auto due = std::min(index_.next_purge(), owners_.due());
    if (due == TimePoint::max() || (timer_.pending() && timer_due_ <= due)) return;
    timer_.cancel();
    timer_due_ = due;
    timer_ = client_.executor()->post_after(std::max(due - now(), Duration(1)), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->look();
    });
  }

  void look() {
    const std::lock_guard lock(mutex_);
    index_.purge(now());
    owners_.keep_only(index_.questions());
    owners_.refresh();
    timer_ = {};
    go_on_locked();
  }

  void ask(const detail::OwnerQuestion& question) {
    client_.send_async(request_for(question), {.stop = stopping_.get_token(), .timeout = kOwnerTimeout})
        .start([weak = weak_from_this(), question](const Result<rest::Response>& answer) {
          if (const auto self = weak.lock()) self->answered(question, metadata_of(answer));
        });
  }
  void answered(const detail::OwnerQuestion& question, const Result<meta::Object>& metadata) {
    bool failed_first = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      const bool failed_before = owners_.last_error().has_value();
      if (const auto news = owners_.answered(question, metadata)) index_.set_above(question, news->above);
      failed_first = owners_.last_error() && !failed_before;
      go_on_locked();
    }
    if (!failed_first) return;  // one line for a row of failures
    log(LogLevel::Warning, "the owner of a pod's controller is not known yet",
        {{"resource", question.resource.resource},
         {"controller", question.namespace_ + "/" + question.name},
         {"error", metadata.error()}});
  }

  TimePoint now() const { return client_.executor()->clock().now(); }

  const NodePodsOptions options_;
  const rest::Client client_;
  const std::shared_ptr<SharedIndexInformer> informer_;
  const std::shared_ptr<kubexx::detail::Ended> ended_ = std::make_shared<kubexx::detail::Ended>();
  std::stop_source stopping_;

  mutable std::mutex mutex_;
  detail::PodIndex index_;     // guarded by mutex_, but for its table
  detail::OwnerCache owners_;  // guarded by mutex_
  Timer timer_;                // guarded by mutex_
  TimePoint timer_due_;        // guarded by mutex_
  bool closed_ = false;        // guarded by mutex_
  informer::Registration registration_;
};

Result<std::unique_ptr<NodePods>> NodePods::create(rest::Client client, NodePodsOptions options) {
  if (options.node_name.empty()) options.node_name = variable(kNodeName);
  if (auto valid = options.validate(); !valid) return valid.error();
  return std::unique_ptr<NodePods>(new NodePods(Impl::make(client, std::move(options))));
}

NodePods::NodePods(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

NodePods::~NodePods() {
  impl_->close();
}

void NodePods::start(std::stop_token stop) {
  impl_->start(stop);
}

void NodePods::stop() {
  impl_->stop();
}

bool NodePods::has_synced() const {
  return impl_->registration().has_synced();
}

Result<void> NodePods::wait_until_synced(const informer::WaitOptions& options) const {
  const auto synced = informer::wait_for_cache_sync(options.stop, {informer::Syncable(impl_->registration())},
                                                    {.timeout = options.timeout});
  if (auto error = synced.as_error()) return *error;
  return {};
}

Attribution NodePods::find_by_uid(std::string_view uid) const noexcept {
  return impl_->table().find(KeyKind::Uid, uid);
}

Attribution NodePods::find_by_container_id(std::string_view id) const noexcept {
  return impl_->table().find(KeyKind::Container, bare_container_id(id));
}

Attribution NodePods::find_by_cgroup(std::string_view path) const noexcept {
  const auto identity = parse_cgroup(path);
  if (!identity.container_id.empty()) {
    if (auto found = impl_->table().find(KeyKind::Container, identity.container_id)) return found;
  }
  return identity.pod.empty() ? Attribution() : impl_->table().find(KeyKind::Uid, identity.pod.text());
}

Attribution NodePods::find_by_ip(std::string_view address) const noexcept {
  const auto key = parse_address(address);
  return key ? impl_->table().find(KeyKind::Address, bytes_of(*key)) : Attribution();
}

bool NodePods::is_node_address(std::string_view address) const noexcept {
  const auto key = parse_address(address);
  return key && impl_->table().has(KeyKind::NodeAddress, bytes_of(*key));
}

const std::string& NodePods::node_name() const noexcept {
  return impl_->options().node_name;
}

NodePodsStatus NodePods::status() const {
  return impl_->status();
}

const std::shared_ptr<informer::SharedIndexInformer>& NodePods::informer() const noexcept {
  return impl_->informer();
}

}  // namespace kubexx::agent
