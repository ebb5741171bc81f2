#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "transport/event_loop.hpp"

namespace kubexx::transport {

/// A libcurl transfer in a CurlMulti. Removed from it by its destructor.
class CurlTransfer;

/// Drives libcurl's transfers from the event loop. I/O thread only.
class CurlMulti {
 public:
  explicit CurlMulti(EventLoop& loop);
  ~CurlMulti();
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;

  EventLoop& loop() noexcept { return *loop_; }

 private:
  friend class CurlTransfer;
  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void* known);
  static int on_timer(CURLM*, long milliseconds, void* self);
  void act(curl_socket_t fd, int events);

  EventLoop* loop_;
  CURLM* multi_;
  std::optional<EventLoop::TimerId> timer_;
};

class CurlTransfer {
 public:
  virtual ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

 protected:
  explicit CurlTransfer(CurlMulti& multi);
  void start();
  /// The transfer is over. May destroy this object.
  virtual void on_done(CURLcode code) = 0;

  CURL* easy() const noexcept { return easy_; }
  const char* error_text() const noexcept { return error_text_; }
  template <class T>
  void set(CURLoption option, T value) {
    // Without it another request would be sent than was meant.
    if (curl_easy_setopt(easy_, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  }
  void add(curl_slist*& list, const std::string& line);
  curl_slist* header_list_ = nullptr;
  curl_slist* connect_to_ = nullptr;

 private:
  friend class CurlMulti;
  CurlMulti* multi_;
  CURL* easy_;
  bool added_ = false;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace kubexx::transport
