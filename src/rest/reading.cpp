#include "kubexx/base/log.hpp"
#include "rest/body_decoder.hpp"
#include "rest/call_core.hpp"

namespace kubexx::rest {
namespace {

std::string accept_of(const ReadOptions& options, bool list) {
  if (!options.metadata_only) {
    return options.format == Format::Protobuf ? "application/vnd.kubernetes.protobuf,application/json"
                                              : "application/json";
  }
  const std::string as = std::string(";as=PartialObjectMetadata") + (list ? "List" : "") + ";g=meta.k8s.io;v=v1";
  const std::string json = "application/json" + as + ",application/json";
  if (options.format != Format::Protobuf) return json;
  return "application/vnd.kubernetes.protobuf" + as + "," + json;
}

meta::DecodeOptions decode_of(const ReadOptions& options) {
  auto decode = options.decode;
  if (options.metadata_only) decode.projection = decode.projection.of_metadata();
  return decode;
}

/// A place among the first lists; given back when it is destroyed.
class Place {
 public:
  Place() = default;
  explicit Place(std::shared_ptr<Client::State> client) : client_(std::move(client)) {}
  Place(Place&&) = default;
  Place& operator=(Place&& other) noexcept {
    leave();
    client_ = std::move(other.client_);
    return *this;
  }
  ~Place() { leave(); }
  void leave() {
    if (auto client = std::exchange(client_, nullptr)) client->first_lists.release();
  }

 private:
  std::shared_ptr<Client::State> client_;
};

class ListCall final : public CallCore {
 public:
  ListCall(const std::shared_ptr<Client::State>& client, Request request, const Strand& strand,
           const ReadOptions& options, ListCallbacks callbacks)
      : CallCore(client, std::move(request), strand, RetryKind::GetOnly,
                 options.timeout ? options.timeout : client->config.timeout),
        decode_(decode_of(options)),
        callbacks_(std::move(callbacks)) {}
  Place place;

 private:
  Result<void> accept(int, const transport::Headers& headers) override {
    auto reader = make_list_reader(headers, decode_, [this](meta::Object item) {
      if (!over()) callbacks_.on_item(std::move(item));
    });
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
    return {};
  }
  Result<void> take(std::string_view bytes) override {
    if (callbacks_.on_bytes) callbacks_.on_bytes(bytes.size());
    return over() ? Result<void>() : reader_->feed(bytes);
  }
  void finished(const Error* error) override {
    place.leave();
    if (error) return callbacks_.on_end(*error);
    callbacks_.on_end(reader_->finish());
  }

  meta::DecodeOptions decode_;
  ListCallbacks callbacks_;
  std::unique_ptr<ListReader> reader_;
};

class WatchCall final : public CallCore {
 public:
  WatchCall(std::shared_ptr<Client::State> client, Request request, const Strand& strand, meta::DecodeOptions decode,
            WatchCallbacks callbacks)
      : CallCore(client, std::move(request), strand, RetryKind::Always, std::nullopt),
        decode_(std::move(decode)),
        callbacks_(std::move(callbacks)) {}
  Place place;

 private:
  Result<void> accept(int, const transport::Headers& headers) override {
    auto reader = make_watch_reader(headers, decode_, [this](meta::WatchEvent event) {
      if (over()) return;
      if (event.is_initial_events_end()) place.leave();
      callbacks_.on_event(std::move(event));
    });
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
    if (callbacks_.on_open) callbacks_.on_open();
    return {};
  }
  Result<void> take(std::string_view bytes) override {
    if (callbacks_.on_bytes) callbacks_.on_bytes(bytes.size());
    return over() ? Result<void>() : reader_->feed(bytes);
  }
  bool live() const noexcept override { return true; }
  void finished(const Error* error) override {
    place.leave();
    // A stream cut inside an event lost nothing that a new watch would not bring: that is the end of it, not an error.
    callbacks_.on_end(error);
  }

  meta::DecodeOptions decode_;
  WatchCallbacks callbacks_;
  std::unique_ptr<WatchReader> reader_;
};

/// A call that waits for its turn. Destroying the handle while it waits takes it out.
template <class Core>
std::unique_ptr<Call> begin_in_turn(const std::shared_ptr<Client::State>& client, Turnstile& turnstile,
                                    std::shared_ptr<Core> core, const Strand& strand) {
  std::weak_ptr<Core> weak = core;
  turnstile.acquire([client, weak, strand] {
    strand.post([weak, place = Place(client)]() mutable {
      const auto alive = weak.lock();
      if (!alive) return;
      alive->place = std::move(place);
      alive->begin();
    });
  });
  return std::make_unique<CallHandle>(std::move(core));
}

Request read_request(const ResourcePath& path, const meta::ListOptions& query, const ReadOptions& options, bool list) {
  Request request;
  request.path = path;
  request.accept = accept_of(options, list);
  append_query(request, query);
  return request;
}

}  // namespace

std::unique_ptr<Call> Client::list(const ResourcePath& path, const meta::ListOptions& query, const ReadOptions& options,
                                   const Strand& strand, ListCallbacks callbacks) const {
  auto core = std::make_shared<ListCall>(state_, read_request(path, query, options, true), strand, options,
                                         std::move(callbacks));
  if (options.first_list) return begin_in_turn(state_, state_->first_lists, std::move(core), strand);
  core->begin();
  return std::make_unique<CallHandle>(std::move(core));
}

std::unique_ptr<Call> Client::watch(const ResourcePath& path, const meta::ListOptions& query,
                                    const ReadOptions& options, const Strand& strand, WatchCallbacks callbacks) const {
  auto asked = query;
  asked.watch = true;
  auto core = std::make_shared<WatchCall>(state_, read_request(path, asked, options, false), strand, decode_of(options),
                                          std::move(callbacks));
  if (options.first_list) return begin_in_turn(state_, state_->first_lists, std::move(core), strand);
  core->begin();
  return std::make_unique<CallHandle>(std::move(core));
}

}  // namespace kubexx::rest
