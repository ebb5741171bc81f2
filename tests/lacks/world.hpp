#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/loop_executor.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"
#include "lacks/shortage.hpp"
#include "support/checked_history.hpp"

namespace kubexx::lacks {

/// How a program reaches its server, and on what it runs.
enum class Wire : std::uint8_t {
  LoopHttp1,     ///< one thread, the program's own
  LoopHttp2,     ///< the same, with TLS
  ThreadsHttp2,  ///< the threads that a client has by default
};
constexpr Wire kWires[] = {Wire::LoopHttp1, Wire::LoopHttp2, Wire::ThreadsHttp2};
std::string_view to_string(Wire wire) noexcept;

/// What must not happen has happened.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr Duration kPatience = std::chrono::seconds(20);

/// The embedded server, which lacks nothing.
class World {
 public:
  explicit World(Wire wire);

  Wire wire() const noexcept { return wire_; }
  apiserver::Server& server() noexcept { return *server_; }
  void put(const std::string& key, const std::string& value);
  void remove(const std::string& key);
  /// key=version of every ConfigMap, in order.
  std::vector<std::string> state() const;

 private:
  const Wire wire_;
  std::unique_ptr<apiserver::Server> server_;
};

/// A program's own loop, which goes with what waits in it; null: the client has threads.
struct OwnLoop {
  OwnLoop() = default;
  OwnLoop(OwnLoop&&) noexcept = default;
  OwnLoop& operator=(OwnLoop&& other) noexcept {
    std::swap(loop, other.loop);
    return *this;
  }
  ~OwnLoop() {
    if (loop) loop->shut_down();
  }
  std::shared_ptr<LoopExecutor> loop;
};

/// One life of a program with an informer of ConfigMaps. What it does is counted, what its handler does is not.
class Program {
 public:
  /// Throws what the system's refusal becomes: an Exception with an Error, std::bad_alloc, std::system_error.
  Program(World& world, const std::string& cache_directory);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const rest::Client& client() const { return *client_; }
  /// Until the condition holds, which is asked without being counted; false when that takes longer than kPatience.
  bool run_until(const std::function<bool()>& condition);
  /// Whether cache, namespace index and handler have what the server has.
  bool equal() const;
  void await_equal();
  /// Throws a Violation when a call of the handler did not follow from those before.
  void check_history() const;
  /// In order: the factory stops and joins.
  void end();

 private:
  World& world_;
  OwnLoop own_;
  std::shared_ptr<CheckedHistory> history_;
  std::optional<rest::Client> client_;
  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
  std::shared_ptr<informer::SharedIndexInformer> informer_;
  informer::Registration registration_;
};

/// A program that has begun, by the second attempt where the first was refused.
std::unique_ptr<Program> begin(World& world, const std::string& cache_directory = {});

/// A client alone, with a loop where the wire has one.
struct Connection {
  OwnLoop own;
  std::optional<rest::Client> client;
};
Connection connect(World& world);

/// Drives the loop, or sleeps on it; the condition is not counted.
bool run_until(LoopExecutor* loop, const std::function<bool()>& condition);

/// Runs something counted. False: it was refused, by an Error or an exception that says so, and nothing of it is left.
bool attempt(const std::function<void()>& work);

}  // namespace kubexx::lacks
