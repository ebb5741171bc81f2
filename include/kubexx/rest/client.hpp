#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/base/trace.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/stream.hpp"
#include "kubexx/rest/config.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::rest {

/// What a request is about. Empty namespace: cluster-wide or all namespaces. Segments are checked ("..", "/", "%").
struct ResourcePath {
  meta::GroupVersionResource resource = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string subresource = {};
};

/// How objects travel.
enum class Format : std::uint8_t { Json, Protobuf };  ///< Protobuf: asked for first, JSON taken too

/// One request to the API server. Either `path` or `absolute_path` ("/version") is used.
struct Request {
  std::string method = "GET";
  ResourcePath path = {};
  std::string absolute_path = {};
  std::vector<std::pair<std::string, std::string>> query = {};
  transport::Headers headers = {};  ///< beyond those the client sets
  std::string body = {};
  std::string content_type = {};  ///< of the body; default application/json
  std::string accept = {};        ///< default by `format`
  Format format = Format::Json;
  std::shared_ptr<const transport::SendGate> gate{};  ///< set by a client with a gate
};

/// An answer with its body.
struct KUBEXX_EXPORT Response {
  int status = 0;
  transport::Headers headers = {};
  std::string body = {};
  std::vector<std::string> warnings = {};  ///< texts of Warning headers with code 299
  /// The body as an object, JSON or protobuf by its content type. A Status that reports a failure is its Error.
  Result<meta::Object> object(const meta::DecodeOptions& options = {}) const;
};

/// How one call may end early: a stopped one ends with Canceled, a late one with Timeout.
struct CallOptions {
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

/// Called with the pieces of an answer, and at its end.
struct ByteCallbacks {
  Task on_open = {};
  UniqueFunction<void(std::string_view)> on_bytes = {};
  UniqueFunction<void(const Error*)> on_end = {};
};

/// How the objects of a list or watch are asked for and decoded.
struct ReadOptions {
  meta::DecodeOptions decode = {};  ///< projection and limits of each object
  Format format = Format::Json;
  bool metadata_only = false;  ///< ask the server for PartialObjectMetadata; `decode` can say what they are of
  bool first_list = false;     ///< counts against ClientOptions::max_first_lists until it ends or (watch) its bookmark
  std::optional<Duration> timeout = {};  ///< of a list; absent: Config::timeout
};

/// What a client uses in place of its own, and its limits.
struct ClientOptions {
  std::shared_ptr<transport::Transport> transport = {};  ///< null: HttpTransport made from the Config
  /// Null: an ElasticExecutor's prompt(). The transport that the client makes joins an executor that watches(). With a
  /// LoopExecutor no thread is started, and handlers run there too unless they have an executor of their own.
  std::shared_ptr<Executor> executor = {};
  std::shared_ptr<Executor> handlers = {};        ///< for code that may block; null: an ElasticExecutor, as above
  std::shared_ptr<MetricsRegistry> metrics = {};  ///< null: MetricsRegistry::process()
  std::function<void(std::string_view warning)> on_warning = {};  ///< server warnings; absent: a log line each, once
  std::size_t max_first_lists = 8;  ///< first lists under way at once, so that a start is no storm
  int max_retries = 10;
  Random* random = nullptr;
  std::shared_ptr<Tracer> tracer =
      {};  ///< of requests, and of the informers and controllers made with it; null: set_tracer's
};

/// Talks to one API server: builds paths, authenticates, retries, decodes. A handle: copies share connections, threads
/// and credentials.
///
/// Retries (at most max_retries, honoring stop): 429 and 5xx with a Retry-After header for every method; lost
/// connections for GET. Refused connections are not retried here.
///
/// Threads: safe from any thread. Asynchronous callbacks run on the given strand, decoding included; a strand that
/// falls behind holds at most 1 MB of its stream, then the stream pauses.
/// Stop: an operation by its token, a call by destroying it on its strand. The client's connections and threads end
/// with its last copy, and with the last operation that is under way.
/// Errors: create() has those of the configuration, and of a system that has no thread left. An answer that is not 2xx
/// is an Error of kind Api made of its Status; a connection that fails is one of kind Transport.
/// Example:
///
///     auto client = rest::Client::load();
///     if (!client) complain(client.error());
///     auto answer = client->send({.absolute_path = "/version"}, {.stop = stop, .timeout = 5s});
///     if (!answer) complain(answer.error());
class KUBEXX_EXPORT Client {
 public:
  struct Impl;  // src/rest/client_impl.hpp

  /// An Error where the configuration cannot be used; nothing is sent.
  static Result<Client> create(Config config, ClientOptions options = {});
  /// Of the configuration that Config::load() finds: $KUBECONFIG, ~/.kube/config, then in-cluster.
  static Result<Client> load(ClientOptions options = {});

  /// The answer as a whole; a non-2xx one is an Error made of its Status.
  Async<Result<Response>> send_async(Request request, CallOptions options = CallOptions()) const;
  /// Blocks until the answer is there.
  Result<Response> send(const Request& request, const CallOptions& options = {}) const;
  /// For state machines: the answer on their strand, and a call that ends when they drop it.
  std::unique_ptr<meta::Call> start(Request request, const Strand& strand,
                                    UniqueFunction<void(Result<Response>)> done) const;

  /// One list request (one page), item by item.
  std::unique_ptr<meta::Call> list(const ResourcePath& path, const meta::ListOptions& query, const ReadOptions& options,
                                   const Strand& strand, std::shared_ptr<meta::StreamSink> sink) const;
  /// A stream that is cut inside an event ends without an Error: a new watch brings what is missing.
  std::unique_ptr<meta::Call> watch(const ResourcePath& path, const meta::ListOptions& query,
                                    const ReadOptions& options, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) const;
  /// A body as bytes while it arrives (pod logs).
  std::unique_ptr<meta::Call> stream(Request request, const Strand& strand, ByteCallbacks callbacks) const;

  /// The same client for writes that are allowed for a limited time only: what is not GET or HEAD passes the gate right
  /// before it is sent, retries included, and ends with the gate's Error when it is closed.
  Client with_gate(std::shared_ptr<const transport::SendGate> gate) const;

  /// For those who ask this server for WatchLists: until when not to ask for this one again (resource and selectors, as
  /// text). Shared by all copies; of a few thousand the one that ends first is forgotten.
  std::optional<TimePoint> watch_list_refused_until(const std::string& what) const;
  void refuse_watch_list_until(const std::string& what, TimePoint until) const;

  /// What the client was made of; copies of it share all that.
  const Config& config() const noexcept;
  const std::shared_ptr<Executor>& executor() const noexcept;
  const std::shared_ptr<Executor>& handlers() const noexcept;
  const std::shared_ptr<MetricsRegistry>& metrics() const noexcept;
  const std::shared_ptr<Tracer>& tracer() const noexcept;  ///< that of the options; may be null

 private:
  explicit Client(std::shared_ptr<Impl> impl);
  Request gated(Request request) const;
  std::unique_ptr<meta::Call> start(Request request, const Strand& strand, std::optional<Duration> timeout,
                                    UniqueFunction<void(Result<Response>)> done) const;
  std::shared_ptr<Impl> impl_;
  std::shared_ptr<const transport::SendGate> gate_;
};

}  // namespace kubexx::rest
