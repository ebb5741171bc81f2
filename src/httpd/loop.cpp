#include "httpd/loop.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>

#include <latch>
#include <string>
#include <vector>

#include "base/internal/insist.hpp"
#include "httpd/connection.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::httpd {
namespace {

thread_local const Loop* current_loop = nullptr;

}  // namespace

void ConnectionCount::add() {
  std::lock_guard lock(mutex_);
  ++count_;
}

void ConnectionCount::remove() {
  std::lock_guard lock(mutex_);
  if (--count_ == 0) none_.notify_all();
}

std::size_t ConnectionCount::get() const {
  std::lock_guard lock(mutex_);
  return count_;
}

bool ConnectionCount::wait_for_none(Duration timeout) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, timeout, [this] { return count_ == 0; });
}

Loop::Loop(const ServerContext& server, ConnectionCount& count, std::size_t index) : server_(server), count_(count) {
  arm_tick();
  thread_ = std::jthread([this, name = "kxx-httpd-" + std::to_string(index)] {
    pthread_setname_np(pthread_self(), name.c_str());
    current_loop = this;
    while (!call_isolated("httpd loop", [this] { io_.run(); })) {
      call_isolated("httpd loop", [this] { insist([this] { recover(); }); });
    }
  });
}

Loop::~Loop() = default;

const Loop* Loop::current() noexcept {
  return current_loop;
}

void Loop::run(Task task) {
  if (current_loop == this) return task();
  if (current_loop != nullptr) {
    boost::asio::post(io_, std::move(task));
    return;
  }
  std::latch done(1);
  insist([&] {
    boost::asio::post(io_, [&] {
      call_isolated("httpd loop", task);
      done.count_down();
    });
  });
  done.wait();
}

void Loop::drain() {
  run([this] {
    draining_ = true;
    for (const auto& connection : all()) connection->drain();
  });
}

void Loop::close_all() {
  run([this] {
    for (const auto& connection : all()) connection->close();
  });
}

void Loop::finish() {
  run([this] {
    finished_ = true;
    timer_.cancel();
    close_all();
    work_.reset();
  });
  thread_.join();
}

void Loop::add(std::shared_ptr<Connection> connection) {
  Connection& added = *connection;
  connections_.emplace(&added, std::move(connection));
  count_.add();
  if (draining_ || finished_) {
    added.close();
  } else {
    added.start();
  }
}

void Loop::retire(Connection& connection) {
  retired_.insert(connections_.extract(&connection));
  count_.remove();
}

void Loop::remove(Connection& connection) {
  if (retired_.erase(&connection) == 0 && connections_.erase(&connection) > 0) count_.remove();
}

// A copy: what is done to one of them may remove it.
std::vector<std::shared_ptr<Connection>> Loop::all() const {
  std::vector<std::shared_ptr<Connection>> list;
  insist([&] { list.reserve(connections_.size() + retired_.size()); });
  for (const auto* group : {&connections_, &retired_}) {
    for (const auto& [key, connection] : *group) list.push_back(connection);
  }
  return list;
}

// Want of memory ended a step of an operation, and nobody is told which: its connection would wait for it, or the
// listener for peers. The connections go, and the rest begins again.
void Loop::recover() {
  close_all();
  if (finished_) return;
  arm_tick();
  if (on_lost_operation_) on_lost_operation_();
}

void Loop::arm_tick() {
  timer_.expires_after(server_.tick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || finished_) return;
    ++now_;
    arm_tick();  // first: the rest may fail for want of memory
    for (const auto& connection : all()) connection->tick();
  });
}

}  // namespace kubexx::httpd
