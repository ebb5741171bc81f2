#pragma once

#include <string>

#include "kubexx/base/clock.hpp"

namespace kubexx::reflector {

/// Which servers refused a WatchList of which resource, and until when not to ask again. One a process: informers come
/// and go, the server stays. Bounded; the oldest refusal is forgotten first.
bool watch_list_refused(const std::string& identity, TimePoint now);
void remember_watch_list_refusal(const std::string& identity, TimePoint until);
/// For tests, whose servers come one after the other on ports that earlier ones may have had.
void forget_watch_list_refusals();

}  // namespace kubexx::reflector
