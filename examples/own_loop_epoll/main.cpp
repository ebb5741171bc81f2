// Prints every pod that comes, changes and goes, from an epoll loop of its own: the process has one thread.
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <iostream>

#include "kubexx/base/loop_executor.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"

using kubexx::api::core::v1::Pod;

namespace {

void add(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

int main() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int told_to_stop = signalfd(-1, &signals, SFD_CLOEXEC);

  auto config = kubexx::rest::Config::load();
  if (!config) return std::cerr << config.error() << '\n', 1;
  // [begin client]
  auto loop = std::make_shared<kubexx::LoopExecutor>();
  auto client = kubexx::rest::Client::create(*config, {.executor = loop});
  if (!client) return std::cerr << client.error() << '\n', 1;
  // [end client]

  {
    kubexx::informer::SharedInformerFactory factory(*client);
    auto pods = factory.core().v1().pods();
    auto registration = pods.informer().add_event_handler({
        .on_add = [](const Pod& pod) { std::cout << "+ " << pod.name() << std::endl; },
        .on_update = [](const Pod&, const Pod& pod) { std::cout << "~ " << pod.name() << std::endl; },
        .on_delete = [](const auto& gone) { std::cout << "- " << gone.key() << std::endl; },
    });
    factory.start();

    // [begin loop]
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, told_to_stop);
    add(epoll, loop->fd());  // what the library waits for; the program adds its own descriptors beside it
    for (bool stop = false; !stop;) {
      epoll_event ready[8];
      const int count = epoll_wait(epoll, ready, 8, -1);
      for (int i = 0; i < count; ++i) {
        if (ready[i].data.fd == told_to_stop) stop = true;
        if (ready[i].data.fd == loop->fd()) loop->run_ready();
      }
    }
    // [end loop]
  }  // ~SharedInformerFactory drives the loop until its informers have ended
  loop->shut_down();
}
