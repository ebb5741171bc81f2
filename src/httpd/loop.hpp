#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "httpd/session.hpp"
#include "kubexx/base/function.hpp"

namespace kubexx::httpd {

class Connection;

/// How many connections are served, over all loops.
class ConnectionCount {
 public:
  void add();
  void remove();
  std::size_t get() const;
  bool wait_for_none(Duration timeout);

 private:
  mutable std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;  // guarded by mutex_
};

/// One I/O thread and the connections that live on it for good, so that none of them needs a lock.
class Loop {
 public:
  Loop(const ServerContext& server, ConnectionCount& count, std::size_t index);
  ~Loop();  ///< after finish()

  boost::asio::io_context& io() noexcept { return io_; }
  const ServerContext& server() const noexcept { return server_; }
  const Ticks& now() const noexcept { return now_; }

  /// Runs the task on the loop's thread and returns when it ran; on the thread of another loop it does not wait, since
  /// that one may be waiting for this.
  void run(Task task);
  static const Loop* current() noexcept;  ///< whose thread this is, or null

  // Any thread.
  void drain();      ///< lets every connection finish what it does, then go
  void close_all();  ///< now
  void finish();     ///< closes everything and joins

  // The loop's thread.
  void add(std::shared_ptr<Connection> connection);
  void retire(Connection& connection);  ///< all said: it only waits for the peer to close, and nobody waits for it
  void remove(Connection& connection);
  /// Called where an operation may have ended without its handler, for want of memory. It may be called again.
  void set_on_lost_operation(std::function<void()> callback) { on_lost_operation_ = std::move(callback); }

 private:
  void arm_tick();
  void recover();
  std::vector<std::shared_ptr<Connection>> all() const;

  const ServerContext& server_;
  ConnectionCount& count_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  boost::asio::steady_timer timer_{io_};
  Ticks now_ = 0;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> retired_;
  std::function<void()> on_lost_operation_;
  bool draining_ = false;
  bool finished_ = false;
  std::jthread thread_;
};

}  // namespace kubexx::httpd
