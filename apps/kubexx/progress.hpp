#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flags.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::app {

/// Bytes of answers that this client has received.
double received_bytes(const rest::Client& client);

/// How many objects a list would have, where the server says so (it does not when there are selectors). One short
/// request.
std::optional<std::uint64_t> count_on_server(const rest::Client& client, const client::ApiResource& resource,
                                             const std::string& namespace_, const Selection& selection);

/// "12,000 of 100,000 objects, 34.0 MB"
std::string progress_text(std::uint64_t objects, std::optional<std::uint64_t> total, double bytes);

/// One line on standard error that says how far a first list is, on a terminal only, and not for lists that are there
/// at once. The destructor takes it away.
class ProgressLine {
 public:
  explicit ProgressLine(const rest::Client& client);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& what, std::uint64_t objects, std::optional<std::uint64_t> total);

 private:
  const rest::Client& client_;
  bool enabled_;
  bool shown_ = false;
  TimePoint next_;
};

}  // namespace kubexx::app
