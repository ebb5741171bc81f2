#pragma once

#include <cstdint>
#include <string_view>

namespace kubexx::test {

/// How many mutexes the threads whose names begin like this have locked so far.
std::uint64_t locks_taken(std::string_view thread_name);

bool this_thread_is(std::string_view thread_name);

}  // namespace kubexx::test
