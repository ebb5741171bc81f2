#include "kubexx/base/error_sink.hpp"
#include "rest/body_decoder.hpp"
#include "rest/call_core.hpp"

namespace kubexx::rest {
namespace {

std::string accept_of(const ReadOptions& options, bool list) {
  std::string wish;
  if (options.metadata_only) {
    wish = std::string(";as=PartialObjectMetadata") + (list ? "List" : "") + ";g=meta.k8s.io;v=v1";
  }
  // What would be dropped here need not be sent (KEP-5958); servers that do not know the wish ignore it.
  if (options.decode.projection.drops_managed_fields()) wish += ";drop=metadata.managedFields";
  std::string accept;
  if (options.format == Format::Protobuf) accept = "application/vnd.kubernetes.protobuf" + wish + ",";
  if (!wish.empty()) accept += "application/json" + wish + ",";
  return accept + "application/json";
}

meta::DecodeOptions decode_of(const ReadOptions& options) {
  auto decode = options.decode;
  if (options.metadata_only) decode.projection = decode.projection.of_metadata();
  return decode;
}

/// A turn among the first lists; given back when it is destroyed.
class FirstListTurn {
 public:
  FirstListTurn() = default;
  explicit FirstListTurn(std::shared_ptr<Client::Impl> client) : client_(std::move(client)) {}
  FirstListTurn(FirstListTurn&&) = default;
  FirstListTurn& operator=(FirstListTurn&& other) noexcept {
    give_back();
    client_ = std::move(other.client_);
    return *this;
  }
  ~FirstListTurn() { give_back(); }
  void give_back() {
    if (auto client = std::exchange(client_, nullptr)) client->first_lists.release();
  }

 private:
  std::shared_ptr<Client::Impl> client_;
};

/// A list or a watch, read as it arrives.
class ReadCall final : public CallCore {
 public:
  ReadCall(const std::shared_ptr<Client::Impl>& client, Request request, const meta::ListOptions& query,
           const Strand& strand, const ReadOptions& options, std::shared_ptr<meta::StreamSink> sink)
      : CallCore(client, std::move(request), strand, query.watch ? RetryKind::Always : RetryKind::GetOnly,
                 query.watch       ? std::nullopt
                 : options.timeout ? options.timeout
                                   : client->config.timeout),
        watch_(query.watch),
        one_shard_(!query.shard_selector.empty()),
        decode_(decode_of(options)),
        sink_(std::move(sink)) {}
  FirstListTurn turn;

 private:
  Result<void> accept(int, const transport::Headers& headers) override {
    auto reader = (watch_ ? make_watch_reader : make_list_reader)(headers, decode_, *sink_);
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
    sink_->on_open();
    return {};
  }
  Result<void> take(std::string_view bytes) override {
    sink_->on_bytes(bytes.size());
    auto fed = reader_->feed(bytes);
    if (reader_->initial_events_ended()) turn.give_back();
    return fed;
  }
  bool live() const noexcept override { return watch_; }
  void finished(const Error* error) override {
    turn.give_back();
    if (error) return sink_->on_end(*error);
    if (watch_) return sink_->on_end(meta::ListMeta());
    auto end = rest_of_list();
    if (end && one_shard_ && end->shard_selector.empty()) {
      return sink_->on_end(
          Error::config("the server does not know shard selectors: it sent the objects of all shards"));
    }
    sink_->on_end(std::move(end));
  }
  /// Whatever becomes of it, the sink hears of an end.
  Result<meta::ListMeta> rest_of_list() {
    try {
      return reader_->finish();
    } catch (...) {
      return current_exception_as_error();
    }
  }
  void stopped() override {
    if (reader_) reader_->stop();
  }

  const bool watch_;
  const bool one_shard_;
  const meta::DecodeOptions decode_;
  const std::shared_ptr<meta::StreamSink> sink_;
  std::unique_ptr<meta::StreamReader> reader_;
};

std::unique_ptr<meta::Call> begin_read(const std::shared_ptr<Client::Impl>& client, const ResourcePath& path,
                                       const meta::ListOptions& query, const ReadOptions& options, const Strand& strand,
                                       std::shared_ptr<meta::StreamSink> sink) {
  Request request;
  request.path = path;
  request.accept = accept_of(options, !query.watch);
  append_query(request, query);
  auto core = std::make_shared<ReadCall>(client, std::move(request), query, strand, options, std::move(sink));
  if (options.first_list) {  // begins when it is its turn; destroying the handle before that takes it out
    client->first_lists.acquire([client, strand, weak = std::weak_ptr(core)] {
      strand.post([weak, turn = FirstListTurn(client)]() mutable {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->turn = std::move(turn);
        alive->begin();
      });
    });
  } else {
    core->begin();
  }
  return std::make_unique<CallHandle>(std::move(core));
}

}  // namespace

std::unique_ptr<meta::Call> Client::list(const ResourcePath& path, const meta::ListOptions& query,
                                         const ReadOptions& options, const Strand& strand,
                                         std::shared_ptr<meta::StreamSink> sink) const {
  return begin_read(impl_, path, query, options, strand, std::move(sink));
}

std::unique_ptr<meta::Call> Client::watch(const ResourcePath& path, const meta::ListOptions& query,
                                          const ReadOptions& options, const Strand& strand,
                                          std::shared_ptr<meta::StreamSink> sink) const {
  auto asked = query;
  asked.watch = true;
  return begin_read(impl_, path, asked, options, strand, std::move(sink));
}

}  // namespace kubexx::rest
