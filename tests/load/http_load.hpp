#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kubexx/base/clock.hpp"

namespace kubexx::apiserver {
class Server;
}

namespace kubexx::load {

/// A cluster that is written to and watched over HTTP/1.1 by one thread: objects spread over namespaces, watchers that
/// each follow one namespace, updates at a steady rate.
struct Plan {
  std::size_t namespaces = 20;
  std::size_t objects = 10'000;
  std::size_t watchers = 200;  ///< each update is seen by watchers / namespaces of them
  std::size_t object_bytes = 6'000;
  std::size_t updates_per_second = 2'000;
  Duration duration = std::chrono::seconds(20);
  std::size_t writers = 10;  ///< connections that write
  std::size_t silent = 0;    ///< watchers more that never read, spread over the namespaces as the others are
};

struct Outcome {
  double creates_per_second = 0;
  double updates_per_second = 0;
  std::uint64_t updates = 0;
  std::uint64_t expected = 0;     ///< deliveries
  std::uint64_t delivered = 0;    ///< in the order of the updates of their namespace, none missing between them
  Duration drain{};               ///< from the answer to the last update until the last delivery
  std::size_t memory_before = 0;  ///< resident bytes of the process when the updates begin
  std::size_t memory_after = 0;
  std::size_t silent_cut = 0;  ///< of those that never read, how many the server cut off
  std::string failure;         ///< empty: nothing went wrong
};

Outcome run(apiserver::Server& server, const Plan& plan);

}  // namespace kubexx::load
