#include "transport/curl_multi.hpp"

#include <openssl/crypto.h>
#include <sys/epoll.h>

#include <mutex>
#include <new>

namespace kubexx::transport {
namespace {

constexpr long kMaxIdleConnections = 64;

void initialize_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    // OpenSSL does not try again what failed for want of memory, and libcurl would run into it.
    if (OSSL_LIB_CTX_get0_global_default() == nullptr) throw std::bad_alloc();
    if (curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK) throw std::bad_alloc();
  });
}

}  // namespace

CurlMulti::CurlMulti(EventLoop& loop) : loop_(&loop) {
  initialize_once();
  multi_ = curl_multi_init();
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kMaxIdleConnections);
}

CurlMulti::~CurlMulti() {
  curl_multi_cleanup(multi_);
}

// No exception passes through libcurl: -1 makes it give up what it does, and act() tells.
int CurlMulti::on_socket(CURL*, curl_socket_t fd, int what, void* context, void* known) try {
  auto* self = static_cast<CurlMulti*>(context);
  if (what == CURL_POLL_REMOVE) {
    self->loop_->forget(fd);
    return 0;
  }
  std::uint32_t events = 0;
  if (what & CURL_POLL_IN) events |= EPOLLIN;
  if (what & CURL_POLL_OUT) events |= EPOLLOUT;
  if (known) {
    self->loop_->change(fd, events);
    return 0;
  }
  curl_multi_assign(self->multi_, fd, self);
  self->loop_->watch(fd, events, [self, fd](std::uint32_t ready) {
    int mask = 0;
    if (ready & EPOLLIN) mask |= CURL_CSELECT_IN;
    if (ready & EPOLLOUT) mask |= CURL_CSELECT_OUT;
    if (ready & (EPOLLERR | EPOLLHUP)) mask |= CURL_CSELECT_ERR;
    self->act(fd, mask);
  });
  return 0;
} catch (const std::bad_alloc&) {
  return -1;
}

int CurlMulti::on_timer(CURLM*, long milliseconds, void* context) try {
  auto* self = static_cast<CurlMulti*>(context);
  if (self->timer_) self->loop_->cancel(*self->timer_);
  self->timer_.reset();
  if (milliseconds < 0) return 0;
  self->timer_ = self->loop_->at(self->loop_->now() + std::chrono::milliseconds(milliseconds), [self] {
    self->timer_.reset();
    self->act(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
} catch (const std::bad_alloc&) {
  return -1;
}

void CurlMulti::act(curl_socket_t fd, int events) {
  int running = 0;
  const CURLMcode code = curl_multi_socket_action(multi_, fd, events, &running);
  // One message at a time: handling one may remove the transfer of the next.
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode result = message->data.result;
    CurlTransfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    transfer->on_done(result);
  }
  if (code == CURLM_OUT_OF_MEMORY || code == CURLM_ABORTED_BY_CALLBACK) throw std::bad_alloc();
}

CurlTransfer::CurlTransfer(CurlMulti& multi) : multi_(&multi), easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc();
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, error_text_);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // without it, removing the transfer waits for a name being resolved
}

CurlTransfer::~CurlTransfer() {
  if (added_) curl_multi_remove_handle(multi_->multi_, easy_);
  curl_easy_cleanup(easy_);
  curl_slist_free_all(header_list_);
  curl_slist_free_all(connect_to_);
}

void CurlTransfer::start() {
  if (curl_multi_add_handle(multi_->multi_, easy_) != CURLM_OK) throw std::bad_alloc();
  added_ = true;
}

void CurlTransfer::add(curl_slist*& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list, line.c_str());
  if (!longer) throw std::bad_alloc();
  list = longer;
}

}  // namespace kubexx::transport
