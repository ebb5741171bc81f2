#include "c/loop.hpp"

#include <chrono>

#include "c/boundary.hpp"

namespace kubexx::c {
namespace {

constexpr auto kLongestEnd = std::chrono::seconds(10);  // stopped calls end at once, unless a callback blocks

void finish(LoopUse::Ending& ending) {
  ending.stop.request_stop();
  static_cast<void>(ending.executor->run_until([&] { return ending.calls_left == 0; }, {}, kLongestEnd));
  ending.executor->shut_down();
}

}  // namespace

LoopUse::~LoopUse() {
  const Entry entry;  // not in the middle of one, which may be a task of the loop
  at_end_of_call(ending_->executor, [ending = ending_] { finish(*ending); });
}

}  // namespace kubexx::c

kubexx_status kubexx_loop_new(kubexx_loop** loop, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(loop, "loop");
    *loop = new kubexx_loop{std::make_shared<kubexx::c::LoopUse>()};
  });
}

int kubexx_loop_fd(const kubexx_loop* loop) {
  return loop ? loop->use->executor()->fd() : -1;
}

kubexx_status kubexx_loop_run_ready(kubexx_loop* loop, size_t* ran, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto use = kubexx::c::needed(loop, "loop").use;  // a callback may free the handle
    const std::size_t count = use->executor()->run_ready();
    if (ran) *ran = count;
  });
}

void kubexx_loop_free(kubexx_loop* loop) {
  kubexx::c::ending("kubexx_loop_free", [&] { delete loop; });
}
