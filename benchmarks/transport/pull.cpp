// transport_pull URL CA_FILE TIMES: downloads a body so often and prints "MB/s peak-MB" of the best run.
#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "kubexx/transport/http_transport.hpp"

namespace {

class Counter final : public kubexx::transport::ResponseSink {
 public:
  void on_headers(int status, const kubexx::transport::Headers&) override { status_ = status; }
  bool on_data(kubexx::transport::Buffer piece) override {
    bytes_ += piece.size();
    return true;
  }
  void on_end(const kubexx::Error* error) override {
    std::lock_guard lock(mutex_);
    if (error) error_ = *error;
    ended_ = true;
    changed_.notify_all();
  }
  std::size_t wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
    if (error_ || status_ != 200) {
      std::fprintf(stderr, "status %d %s\n", status_, error_ ? error_->message().c_str() : "");
      std::exit(1);
    }
    return bytes_;
  }

 private:
  int status_ = 0;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::optional<kubexx::Error> error_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  kubexx::transport::TransportOptions options;
  options.tls.ca_file = argv[2];
  auto transport = kubexx::transport::HttpTransport::create(options).value();
  double best = 0;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    auto sink = std::make_shared<Counter>();
    auto before = kubexx::Clock::system().now();
    auto exchange = transport->send({.url = argv[1]}, sink);
    std::size_t bytes = sink->wait();
    std::chrono::duration<double> took = kubexx::Clock::system().now() - before;
    best = std::max(best, static_cast<double>(bytes) / 1e6 / took.count());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.0f %.1f\n", best, static_cast<double>(usage.ru_maxrss) / 1024);
}
