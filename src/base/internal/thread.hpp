#pragma once

#include <string>
#include <thread>
#include <vector>

#include "kubexx/base/function.hpp"

namespace kubexx::detail {

/// A thread of the library: named (cut to 15 characters), with every asynchronous signal blocked so that the program's
/// handlers run on the program's threads. Throws std::system_error when the system has no thread left.
std::jthread start_thread(const std::string& name, Task body);

/// Joins it. A thread that asks to join itself is joined when the process ends instead.
void join_thread(std::jthread thread);
void join_threads(std::vector<std::jthread> threads);

using ThreadId = int;  ///< as the kernel counts them
ThreadId this_thread_id() noexcept;

/// Whether a thread of this process waits for something other than a processor; true when the system does not tell.
bool thread_asleep(ThreadId id) noexcept;

}  // namespace kubexx::detail
