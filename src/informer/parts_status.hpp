#pragma once

#include <string>
#include <vector>

#include "kubexx/reflector/reflector.hpp"

namespace kubexx::informer {

/// Of the reflectors that keep one cache, as if they were one: what all of them did, and the state of the one that is
/// furthest from watching.
reflector::ReflectorStatus combined(const std::vector<reflector::ReflectorStatus>& parts);

/// The higher of two versions; of those that cannot be compared the first.
const std::string& higher_version(const std::string& one, const std::string& other);

/// What one did, for when it is gone: added to the status of those that remain.
void add_counts(reflector::ReflectorStatus& to, const reflector::ReflectorStatus& part);

}  // namespace kubexx::informer
