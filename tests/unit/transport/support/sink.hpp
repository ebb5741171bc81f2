#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kubexx/transport/transport.hpp"

namespace kubexx::transport::test {

/// Collects one answer. Waits have a ceiling of 30 s, which a busy machine needs for large answers.
class Collector final : public ResponseSink {
 public:
  void on_headers(int status, const Headers& headers) override {
    std::lock_guard lock(mutex_);
    if (status_ != 0 || ended_) ++misuse_;
    status_ = status;
    headers_ = headers;
    changed_.notify_all();
  }
  bool on_data(Buffer piece) override {
    const auto bytes = piece.bytes();
    std::lock_guard lock(mutex_);
    if (status_ == 0 || ended_) ++misuse_;
    received_ += bytes.size();
    if (keep_body_) body_.append(bytes);
    changed_.notify_all();
    return received_ < pause_at_;
  }
  void on_end(const Error* error) override {
    std::lock_guard lock(mutex_);
    if (ended_) ++misuse_;
    ended_ = true;
    if (error) error_ = *error;
    changed_.notify_all();
  }

  bool await_end(std::chrono::seconds ceiling = std::chrono::seconds(30)) {
    return await([&] { return ended_; }, ceiling);
  }
  bool await_status() {
    return await([&] { return status_ != 0; });
  }
  bool await_bytes(std::size_t count) {
    return await([&] { return received_ >= count; });
  }
  /// Returns false from on_data once so many bytes came. 0 pauses on everything.
  void pause_at(std::size_t count) {
    std::lock_guard lock(mutex_);
    pause_at_ = count;
  }
  void keep_body(bool keep) { keep_body_ = keep; }

  int status() const { return locked(status_); }
  Headers headers() const { return locked(headers_); }
  std::string body() const { return locked(body_); }
  std::size_t received() const { return locked(received_); }
  bool ended() const { return locked(ended_); }
  std::optional<Error> error() const { return locked(error_); }
  int misuse() const { return locked(misuse_); }

 private:
  template <class Predicate>
  bool await(Predicate&& predicate, std::chrono::seconds ceiling = std::chrono::seconds(30)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, ceiling, predicate);
  }
  template <class T>
  T locked(const T& value) const {
    std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool keep_body_ = true;
  int status_ = 0;
  Headers headers_;
  std::string body_;
  std::size_t received_ = 0;
  std::size_t pause_at_ = static_cast<std::size_t>(-1);
  bool ended_ = false;
  std::optional<Error> error_;
  int misuse_ = 0;
};

/// An exchange with its collector.
struct Pending {
  std::shared_ptr<Collector> sink = std::make_shared<Collector>();
  std::unique_ptr<Exchange> exchange;

  Pending() = default;
  Pending(Transport& transport, Request request) : exchange(transport.send(std::move(request), sink)) {}
  Collector* operator->() const { return sink.get(); }
};

inline Request get(const std::string& url) {
  Request request;
  request.url = url;
  return request;
}

/// Sends and waits for the end.
inline std::shared_ptr<Collector> exchange(Transport& transport, Request request) {
  Pending pending(transport, std::move(request));
  EXPECT_TRUE(pending->await_end());
  EXPECT_EQ(pending->misuse(), 0);
  return pending.sink;
}

}  // namespace kubexx::transport::test
