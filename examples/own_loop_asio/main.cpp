// Prints every pod that comes, changes and goes, from a Boost.Asio loop: the process has one thread.
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <iostream>

#include "kubexx/base/loop_executor.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"

using kubexx::api::core::v1::Pod;
namespace asio = boost::asio;

namespace {

// [begin joined]
/// Runs what is ready of a kubexx loop whenever Asio says that its descriptor is.
class Joined {
 public:
  Joined(asio::io_context& io, kubexx::LoopExecutor& loop) : loop_(loop), descriptor_(io, loop.fd()) { wait(); }
  ~Joined() { descriptor_.release(); }  // it is the loop's

 private:
  void wait() {
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code error) {
      if (error) return;
      loop_.run_ready();
      wait();
    });
  }

  kubexx::LoopExecutor& loop_;
  asio::posix::stream_descriptor descriptor_;
};
// [end joined]

}  // namespace

int main() {
  auto config = kubexx::rest::Config::load();
  if (!config) return std::cerr << config.error() << '\n', 1;
  auto loop = std::make_shared<kubexx::LoopExecutor>();
  auto client = kubexx::rest::Client::create(*config, {.executor = loop});
  if (!client) return std::cerr << client.error() << '\n', 1;

  {
    kubexx::informer::SharedInformerFactory factory(*client);
    auto pods = factory.core().v1().pods();
    auto registration = pods.informer().add_event_handler({
        .on_add = [](const Pod& pod) { std::cout << "+ " << pod.name() << std::endl; },
        .on_update = [](const Pod&, const Pod& pod) { std::cout << "~ " << pod.name() << std::endl; },
        .on_delete = [](const auto& gone) { std::cout << "- " << gone.key() << std::endl; },
    });
    factory.start();

    asio::io_context io;
    const Joined joined(io, *loop);
    asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&io](boost::system::error_code, int) { io.stop(); });
    io.run();  // and whatever else the program does on this io_context
  }  // ~SharedInformerFactory drives the loop until its informers have ended
  loop->shut_down();
}
