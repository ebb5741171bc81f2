#include "kubexx/informer/client_lister_watcher.hpp"

#include <mutex>
#include <new>
#include <optional>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::informer {
namespace {

constexpr Duration kDiscoveryPoll = std::chrono::seconds(2);

std::string discovery_path(const meta::GroupVersionResource& resource) {
  if (resource.group.empty()) return "/api/" + resource.version;
  return "/apis/" + resource.group + "/" + resource.version;
}

/// The resource's entry in the answer to discovery_path(); not there: null.
meta::Value find_entry(const meta::Object& list, const meta::GroupVersionResource& resource) {
  for (const auto item : list["resources"].items()) {
    if (item["name"].string() == resource.resource) return item;
  }
  return {};
}

/// Asks discovery for the kind of a resource, and then begins a call with it. Lives on the strand.
class KindFirst final : public meta::Call {
 public:
  using Begin = std::function<std::unique_ptr<meta::Call>(const meta::GroupVersionKind&)>;
  KindFirst(const rest::Client& client, const meta::GroupVersionResource& resource, const Strand& strand, Begin begin,
            std::shared_ptr<meta::StreamSink> sink) {
    rest::Request request;
    request.absolute_path = discovery_path(resource);
    asking_ = client.start(std::move(request), strand, [=, this](const Result<rest::Response>& answer) {
      std::optional<Error> failure;
      try {
        const auto kind = kind_of(answer, resource);
        if (kind) {
          call_ = begin(*kind);
        } else {
          failure = kind.error();
        }
      } catch (const std::bad_alloc&) {  // whoever waits for the call hears of it
        failure = current_exception_as_error();
      }
      if (failure) std::shared_ptr(sink)->on_end(*failure);  // which may destroy this
    });
  }
  void hold() override { now().hold(); }
  void resume() override { now().resume(); }

 private:
  meta::Call& now() { return call_ ? *call_ : *asking_; }
  static Result<meta::GroupVersionKind> kind_of(const Result<rest::Response>& answer,
                                                const meta::GroupVersionResource& resource) {
    if (!answer) return answer.error();
    const auto list = answer->object();
    if (!list) return list.error();
    const auto kind = find_entry(*list, resource)["kind"].string();
    // As the list would be answered: the resource is awaited then.
    if (kind.empty()) return Error::api(404, "NotFound", "the server could not find the requested resource");
    return meta::GroupVersionKind{resource.group, resource.version, std::string(kind)};
  }
  std::unique_ptr<meta::Call> asking_;
  std::unique_ptr<meta::Call> call_;
};

/// Asks discovery now and then until a resource is listed there: first whether the group is, so that no answer is 404
/// while its last resource is gone. Lives on the strand.
class ServedPoll final : public meta::Call {
 public:
  ServedPoll(rest::Client client, meta::GroupVersionResource resource, const Strand& strand, Task served)
      : impl_(std::make_shared<Impl>(std::move(client), std::move(resource), strand, std::move(served))) {
    impl_->wait();
  }
  ~ServedPoll() override {
    impl_->timer.cancel();
    impl_->call.reset();
    impl_->over = true;
  }

 private:
  struct Impl : std::enable_shared_from_this<Impl> {
    Impl(rest::Client c, meta::GroupVersionResource r, const Strand& s, Task t)
        : client(std::move(c)), resource(std::move(r)), strand(s), served(std::move(t)) {}
    void wait() {
      timer = strand.post_after(kDiscoveryPoll, [weak = weak_from_this()] {
        if (const auto self = weak.lock(); self && !self->over) self->ask();
      });
    }
    void ask() {
      if (resource.group.empty()) return ask_version();
      get("/apis", [this](const meta::Object& groups) {
        if (!has_version(groups)) return wait();
        ask_version();
      });
    }
    void ask_version() {
      get(discovery_path(resource), [this](const meta::Object& list) {
        if (!find_entry(list, resource)) return wait();
        over = true;
        served();
      });
    }
    template <class Use>
    void get(const std::string& path, Use use) {
      rest::Request request;
      request.absolute_path = path;
      call = client.start(std::move(request), strand, [weak = weak_from_this(), use](Result<rest::Response> answer) {
        const auto self = weak.lock();
        if (!self || self->over) return;
        try {
          const auto object = answer ? answer->object() : Result<meta::Object>(answer.error());
          if (!object) return self->wait();
          use(*object);
        } catch (const std::bad_alloc&) {
          self->wait();
        }
      });
    }
    bool has_version(const meta::Object& groups) const {
      for (const auto group : groups["groups"].items()) {
        if (group["name"].string() != resource.group) continue;
        for (const auto version : group["versions"].items()) {
          if (version["version"].string() == resource.version) return true;
        }
      }
      return false;
    }
    rest::Client client;
    meta::GroupVersionResource resource;
    Strand strand;
    Task served;
    Timer timer;
    std::unique_ptr<meta::Call> call;
    bool over = false;
  };
  std::shared_ptr<Impl> impl_;
};

class ClientListerWatcher final : public reflector::ListerWatcher,
                                  public std::enable_shared_from_this<ClientListerWatcher> {
 public:
  ClientListerWatcher(rest::Client client, meta::GroupVersionResource resource, ClientSourceOptions options)
      : client_(std::move(client)), options_(std::move(options)), kind_(options_.kind) {
    path_.resource = std::move(resource);
    path_.namespace_ = options_.namespace_;
    read_.decode.projection = options_.projection;
    read_.format = options_.format;
    read_.metadata_only = options_.metadata_only;
  }

  std::unique_ptr<meta::Call> list(const meta::ListOptions& query, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    const auto kind = known_kind();
    if (!kind) return kind_first(strand, [=](auto& self) { return self.list(query, strand, sink); }, sink);
    auto read = read_of(*kind);
    read.first_list = query.limit != 1 && query.continue_token.empty();
    return client_.list(path_, tweaked(query), read, strand, std::move(sink));
  }

  std::unique_ptr<meta::Call> watch(const meta::ListOptions& query, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    const auto kind = known_kind();
    if (!kind) return kind_first(strand, [=](auto& self) { return self.watch(query, strand, sink); }, sink);
    auto read = read_of(*kind);
    read.first_list = query.send_initial_events.value_or(false);
    return client_.watch(path_, tweaked(query), read, strand, std::move(sink));
  }

  bool supports_watch() const override { return options_.watchable; }
  std::optional<TimePoint> watch_list_refused_until() const override {
    return client_.watch_list_refused_until(asked());
  }
  void refuse_watch_list_until(TimePoint until) override { client_.refuse_watch_list_until(asked(), until); }
  std::unique_ptr<meta::Call> await_served(const Strand& strand, Task served) override {
    set_kind(options_.kind);  // what comes back may be another
    return std::make_unique<ServedPoll>(client_, path_.resource, strand, std::move(served));
  }

 private:
  /// What a refusal is one of: a selector that the server does not know says nothing about others.
  std::string asked() const {
    const auto query = tweaked({});
    auto text = path_.resource.to_string();
    if (!query.label_selector.empty()) text += " labels " + query.label_selector;
    if (!query.field_selector.empty()) text += " fields " + query.field_selector;
    return text;
  }
  /// Of objects that come as metadata only; absent: not known yet. Whole objects say it themselves: an empty one.
  std::optional<meta::GroupVersionKind> known_kind() const {
    if (!options_.metadata_only) return meta::GroupVersionKind();
    const std::lock_guard lock(mutex_);
    return kind_;
  }
  void set_kind(std::optional<meta::GroupVersionKind> kind) {
    const std::lock_guard lock(mutex_);
    kind_ = std::move(kind);
  }
  template <class Begin>
  std::unique_ptr<meta::Call> kind_first(const Strand& strand, Begin begin, std::shared_ptr<meta::StreamSink> sink) {
    auto found = [self = shared_from_this(), begin](const meta::GroupVersionKind& kind) {
      self->set_kind(kind);
      return begin(*self);
    };
    return std::make_unique<KindFirst>(client_, path_.resource, strand, std::move(found), std::move(sink));
  }
  rest::ReadOptions read_of(const meta::GroupVersionKind& kind) const {
    auto read = read_;
    if (!kind.kind.empty()) {
      read.decode.default_api_version = kind.api_version();
      read.decode.default_kind = kind.kind;
    }
    return read;
  }
  meta::ListOptions tweaked(meta::ListOptions query) const {
    if (options_.tweak) options_.tweak(query);
    return query;
  }

  rest::Client client_;
  ClientSourceOptions options_;
  rest::ResourcePath path_;
  rest::ReadOptions read_;
  mutable std::mutex mutex_;
  std::optional<meta::GroupVersionKind> kind_;  // guarded by mutex_
};

}  // namespace

std::shared_ptr<reflector::ListerWatcher> make_client_lister_watcher(rest::Client client,
                                                                     meta::GroupVersionResource resource,
                                                                     ClientSourceOptions options) {
  return std::make_shared<ClientListerWatcher>(std::move(client), std::move(resource), std::move(options));
}

}  // namespace kubexx::informer
