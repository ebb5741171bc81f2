// What a load balancer needs to know of a Service.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubexx/api/core/v1/views.hpp"
#include "kubexx/api/discovery/v1/views.hpp"

namespace service_resolver {

struct Endpoint {
  std::string address = {};
  std::uint16_t port = 0;
  std::string zone = {};  ///< empty: not known
  std::string node = {};
  bool terminating = false;

  /// "10.0.0.1:80", "[fd00::1]:80".
  std::string target() const;
  bool operator==(const Endpoint&) const = default;
};

/// Sorted by address and port, each of which is there once.
using Endpoints = std::vector<Endpoint>;

struct Question {
  std::string namespace_ = "default";
  std::string service = {};
  std::string port = {};    ///< by its name; empty: the first of each slice
  std::string zone = {};    ///< whose endpoints are preferred, where hints say so; empty: none
  std::string family = {};  ///< "IPv4" or "IPv6"; empty: both
};

/// The endpoints that requests may go to. `service` may be null: it is gone, and has none.
Endpoints merge(const kubexx::api::core::v1::Service& service,
                const std::vector<kubexx::api::discovery::v1::EndpointSlice>& slices, const Question& question);

/// From one list to the next. An address that stays and is told differently (its zone, or that it ends) has changed.
struct Difference {
  Endpoints added = {};
  Endpoints changed = {};
  Endpoints removed = {};
  bool empty() const { return added.empty() && changed.empty() && removed.empty(); }
};
Difference compare(const Endpoints& before, const Endpoints& after);

}  // namespace service_resolver
