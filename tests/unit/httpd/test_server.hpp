#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/httpd/server.hpp"

namespace kubexx::httpd {

inline std::unique_ptr<Server> serve(ServerOptions options, Handler handler) {
  auto server = Server::start(std::move(options), std::move(handler));
  EXPECT_TRUE(server.has_value()) << server.error().message();
  return server ? std::move(*server) : nullptr;
}

inline std::unique_ptr<Server> serve(Handler handler) {
  return serve(ServerOptions(), std::move(handler));
}

/// Answers with what was asked.
inline void echo(Request request, Responder responder) {
  responder.respond(200, {{"content-type", "text/plain"}}, request.method + " " + request.target + " " + request.body);
}

/// Waits for conditions that other threads bring about, thirty seconds at most.
class Monitor {
 public:
  template <class F>
  void change(F&& function) {
    std::lock_guard lock(mutex_);
    function();
    changed_.notify_all();
  }
  template <class F>
  bool wait(F&& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), std::forward<F>(condition));
  }
  /// For conditions nobody announces: asks again and again.
  template <class F>
  bool poll(F&& condition) {
    for (int i = 0; i < 30'000; ++i) {
      if (condition()) return true;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Keeps the exchanges that arrive, for the test to answer.
class Inbox {
 public:
  Handler handler() {
    return [this](Request request, Responder responder) {
      monitor_.change([&] { arrived_.emplace_back(std::move(request), std::move(responder)); });
    };
  }
  /// The exchange that came as the n-th, counted from 0.
  std::pair<Request, Responder>& at(std::size_t n) {
    EXPECT_TRUE(monitor_.wait([&] { return arrived_.size() > n; })) << "no request " << n;
    return *std::next(arrived_.begin(), static_cast<std::ptrdiff_t>(n));
  }
  std::size_t size() {
    std::size_t count = 0;
    monitor_.change([&] { count = arrived_.size(); });
    return count;
  }
  void clear() {
    monitor_.change([&] { arrived_.clear(); });
  }

 private:
  Monitor monitor_;
  std::list<std::pair<Request, Responder>> arrived_;
};

}  // namespace kubexx::httpd
