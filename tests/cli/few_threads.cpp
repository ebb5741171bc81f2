// Preloaded into a program: KUBEXX_THREADS threads can be started and no more.
#include <cstdlib>

#include "support/thread_shortage.hpp"

namespace {

const kubexx::test::ThreadShortage shortage(std::atoi(std::getenv("KUBEXX_THREADS")));

}  // namespace
