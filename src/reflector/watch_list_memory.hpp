#pragma once

#include <string>

#include "kubexx/base/clock.hpp"

namespace kubexx::reflector {

/// Which servers refused a WatchList of which resource (and selectors), and until when not to ask again. One a process:
/// informers come and go, the server stays. Bounded; the oldest refusal is forgotten first.
bool refusal_remembered(const std::string& identity, TimePoint now);
void remember_refusal(const std::string& identity, TimePoint until);
/// For tests, whose servers come one after the other on ports that earlier ones may have had.
void forget_watch_list_refusals();

}  // namespace kubexx::reflector
