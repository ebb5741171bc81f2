#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"

namespace kubexx {
class Executor;
}

namespace kubexx::apiserver {

/// What a user may do. Discovery, health and version are open to every user who is authenticated.
enum class Role {
  None,            ///< known, but everything is forbidden
  ReadOnly,        ///< get, list, watch everywhere
  NamespaceBound,  ///< everything inside `User::namespace_`, nothing outside
  Admin,
};

/// Somebody with a token, and what they may.
struct User {
  std::string token{};  ///< bearer token; empty: found by name, from a client certificate
  std::string name{};
  std::vector<std::string> groups{};
  Role role = Role::Admin;
  std::string namespace_{};
};

/// Every setting of Core and Server. Core has no use for the first block.
struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: the kernel picks one
  bool tls = false;        ///< a CA and certificates are made at start
  std::size_t io_threads = 1;

  bool api_all = false;  ///< serve every version in the schema, also those a 1.36 server no longer has
  /// Off: whoever comes is admin. On: no credentials is system:anonymous (403), a wrong token 401.
  bool authentication = true;
  std::vector<User> users{};  ///< beside the admin, whose token is made at start
  std::string admin_token{};  ///< empty: a random one
  /// Without authentication a Server on loopback answers to addresses, to localhost, and to these names.
  std::vector<std::string> allowed_hosts{};
  std::size_t max_connections = 0;  ///< as httpd::ServerOptions has it

  std::size_t history_events = 100'000;   ///< events kept for watches and old pages, over all resources
  std::size_t history_bytes = 256 << 20;  ///< and their size; the oldest go first
  std::size_t watch_backlog = 32 << 20;   ///< a watcher that has this many unread bytes is cut off
  /// What peers may leave unread together. When it is the watches, the slowest are cut until the rest fits; when it is
  /// other answers (Server), further ones are answered 429.
  std::size_t unread_bytes = 512 << 20;
  std::size_t max_watches = 10'000;  ///< further ones are answered 429, and so are further logs that are followed
  std::size_t request_log_entries = 20'000;
  Duration bookmark_interval = std::chrono::minutes(1);
  Duration default_watch_timeout = std::chrono::minutes(45);  ///< when a watch names none; up to twice that
  bool garbage_collection = true;  ///< delete what an owner leaves behind, as the controller of a cluster does
  bool fault_path = false;         ///< serve /kubexx/faults
  std::uint64_t seed = 0;          ///< of uids, generated names and the admin's token; 0: from the system

  /// Runs timers and, for Server, requests. Null: Server makes its own, Core must be given one.
  std::shared_ptr<Executor> executor{};

  std::size_t log_bytes = 1 << 20;  ///< kept of what a container writes, and of what it wrote before it started again
};

}  // namespace kubexx::apiserver
