#include "kubexx/informer/client_lister_watcher.hpp"

namespace kubexx::informer {
namespace {

constexpr Duration kDiscoveryPoll = std::chrono::seconds(2);

/// A call of the client behind a reflector's call.
class Held final : public reflector::Call {
 public:
  explicit Held(std::unique_ptr<rest::Call> call) : call_(std::move(call)) {}

 private:
  std::unique_ptr<rest::Call> call_;
};

/// Asks discovery now and then until a resource is listed there: first whether the group is, so that no answer is 404
/// while its last resource is gone. Lives on the strand.
class ServedPoll final : public reflector::Call {
 public:
  ServedPoll(rest::Client client, meta::GroupVersionResource resource, const Strand& strand, Task served)
      : core_(std::make_shared<Core>(std::move(client), std::move(resource), strand, std::move(served))) {
    core_->wait();
  }
  ~ServedPoll() override {
    core_->timer.cancel();
    core_->call.reset();
    core_->over = true;
  }

 private:
  struct Core : std::enable_shared_from_this<Core> {
    Core(rest::Client c, meta::GroupVersionResource r, const Strand& s, Task t)
        : client(std::move(c)), resource(std::move(r)), strand(s), served(std::move(t)) {}
    void wait() {
      timer = strand.post_after(kDiscoveryPoll, [weak = weak_from_this()] {
        if (const auto self = weak.lock(); self && !self->over) self->ask();
      });
    }
    void ask() {
      if (resource.group.empty()) return ask_version("/api/" + resource.version);
      get("/apis", [this](const meta::Object& groups) {
        if (!has_version(groups)) return wait();
        ask_version("/apis/" + resource.group + "/" + resource.version);
      });
    }
    void ask_version(const std::string& path) {
      get(path, [this](const meta::Object& list) {
        if (!has_resource(list)) return wait();
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
        const auto object = answer ? answer->object() : Result<meta::Object>(answer.error());
        if (!object) return self->wait();
        use(*object);
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
    bool has_resource(const meta::Object& list) const {
      for (const auto item : list["resources"].items()) {
        if (item["name"].string() == resource.resource) return true;
      }
      return false;
    }
    rest::Client client;
    meta::GroupVersionResource resource;
    Strand strand;
    Task served;
    Timer timer;
    std::unique_ptr<rest::Call> call;
    bool over = false;
  };
  std::shared_ptr<Core> core_;
};

class ClientListerWatcher final : public reflector::ListerWatcher {
 public:
  ClientListerWatcher(rest::Client client, meta::GroupVersionResource resource, ClientSourceOptions options)
      : client_(std::move(client)), options_(std::move(options)) {
    path_.resource = std::move(resource);
    path_.namespace_ = options_.namespace_;
    read_.decode.projection = options_.projection;
    read_.format = options_.format;
    read_.metadata_only = options_.metadata_only;
  }

  std::unique_ptr<reflector::Call> list(const meta::ListOptions& query, const Strand& strand,
                                        std::shared_ptr<reflector::ListSink> sink) override {
    auto read = read_;
    read.first_list = query.limit != 1 && query.continue_token.empty();
    rest::ListCallbacks callbacks;
    callbacks.on_item = [sink](meta::Object item) { sink->on_item(std::move(item)); };
    callbacks.on_bytes = [sink](std::size_t received) { sink->on_bytes(received); };
    callbacks.on_end = [sink](Result<meta::ListMeta> end) { sink->on_end(std::move(end)); };
    return std::make_unique<Held>(client_.list(path_, tweaked(query), read, strand, std::move(callbacks)));
  }

  std::unique_ptr<reflector::Call> watch(const meta::ListOptions& query, const Strand& strand,
                                         std::shared_ptr<reflector::WatchSink> sink) override {
    auto read = read_;
    read.first_list = query.send_initial_events.value_or(false);
    rest::WatchCallbacks callbacks;
    callbacks.on_open = [sink] { sink->on_open(); };
    callbacks.on_event = [sink](meta::WatchEvent event) { sink->on_event(std::move(event)); };
    callbacks.on_bytes = [sink](std::size_t received) { sink->on_bytes(received); };
    callbacks.on_end = [sink](const Error* error) { sink->on_end(error); };
    return std::make_unique<Held>(client_.watch(path_, tweaked(query), read, strand, std::move(callbacks)));
  }

  bool supports_watch() const override { return options_.watchable; }
  std::string identity() const override {
    const auto query = tweaked({});
    auto text = client_.config().host + " " + path_.resource.to_string();
    if (!query.label_selector.empty()) text += " labels " + query.label_selector;
    if (!query.field_selector.empty()) text += " fields " + query.field_selector;
    return text;
  }
  std::unique_ptr<reflector::Call> await_served(const Strand& strand, Task served) override {
    return std::make_unique<ServedPoll>(client_, path_.resource, strand, std::move(served));
  }

 private:
  meta::ListOptions tweaked(meta::ListOptions query) const {
    if (options_.tweak) options_.tweak(query);
    return query;
  }

  rest::Client client_;
  ClientSourceOptions options_;
  rest::ResourcePath path_;
  rest::ReadOptions read_;
};

}  // namespace

std::shared_ptr<reflector::ListerWatcher> make_client_lister_watcher(rest::Client client,
                                                                     meta::GroupVersionResource resource,
                                                                     ClientSourceOptions options) {
  return std::make_shared<ClientListerWatcher>(std::move(client), std::move(resource), std::move(options));
}

}  // namespace kubexx::informer
