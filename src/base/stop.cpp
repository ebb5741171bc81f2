#include "kubexx/base/stop.hpp"

#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/timer_heap.hpp"

namespace kubexx {

void wait_for_stop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any fired;
  std::unique_lock lock(mutex);
  fired.wait(lock, stop, [] { return false; });
}

bool wait_for_stop(const std::stop_token& stop, Duration timeout) {
  if (timeout <= Duration::zero()) return stop.stop_requested();
  std::mutex mutex;
  std::condition_variable_any fired;
  std::unique_lock lock(mutex);
  fired.wait_until(lock, stop, detail::after(Clock::system().now(), timeout), [] { return false; });
  return stop.stop_requested();
}

struct KUBEXX_HIDDEN LinkedStop::Impl {
  struct Forward {
    std::stop_source target;
    void operator()() noexcept { target.request_stop(); }
  };
  std::stop_source source;
  std::vector<std::unique_ptr<std::stop_callback<Forward>>> links;
};

LinkedStop::LinkedStop(std::initializer_list<std::stop_token> tokens) : impl_(std::make_shared<Impl>()) {
  for (const std::stop_token& token : tokens) {
    impl_->links.push_back(std::make_unique<std::stop_callback<Impl::Forward>>(token, Impl::Forward{impl_->source}));
  }
}

LinkedStop::~LinkedStop() = default;
std::stop_token LinkedStop::token() const {
  return impl_->source.get_token();
}
void LinkedStop::request_stop() {
  impl_->source.request_stop();
}

}  // namespace kubexx
