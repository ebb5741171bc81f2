#include "httpd/answer.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/internal/insist.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::httpd {

AnswerQueue::AnswerQueue(std::function<void()> notify) : notify_(std::move(notify)) {}

void AnswerQueue::post(std::shared_ptr<Answer> answer) {
  std::lock_guard lock(mutex_);
  if (!notify_) return;
  insist([&] { waiting_.push_back(std::move(answer)); });
  if (waiting_.size() == 1) insist(notify_);
}

std::vector<std::shared_ptr<Answer>> AnswerQueue::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void AnswerQueue::close() {
  std::function<void()> notify;
  std::vector<std::shared_ptr<Answer>> waiting;
  std::lock_guard lock(mutex_);
  notify.swap(notify_);
  waiting.swap(waiting_);
}

Answer::Answer(std::shared_ptr<AnswerQueue> queue, std::int32_t stream) : queue_(std::move(queue)), stream_(stream) {}

void Answer::announce(std::unique_lock<std::mutex> lock) {
  if (std::exchange(announced_, true)) return;
  lock.unlock();
  queue_->post(shared_from_this());
}

void Answer::begin(int status, HeaderFields headers, bool whole) {
  news_.head.emplace();
  news_.head->status = status >= 200 && status <= 999 ? status : 500;
  news_.head->headers = std::move(headers);
  news_.head->whole = whole;
}

void Answer::respond(int status, HeaderFields headers, std::string body) {
  std::unique_lock lock(mutex_);
  if (closed_ || aborted_ || state_ != State::Waiting) return;
  const std::size_t size = body.size();
  if (!body.empty()) news_.chunks.push_back(std::make_shared<const std::string>(std::move(body)));
  backlog_ += size;
  begin(status, std::move(headers), true);
  state_ = State::Finished;
  news_.finished = true;
  announce(std::move(lock));
}

void Answer::start(int status, HeaderFields headers) {
  std::unique_lock lock(mutex_);
  if (closed_ || aborted_ || state_ != State::Waiting) return;
  state_ = State::Started;
  begin(status, std::move(headers), false);
  announce(std::move(lock));
}

void Answer::write(SharedBytes bytes) {
  std::unique_lock lock(mutex_);
  if (closed_ || aborted_) return;
  if (state_ == State::Waiting) throw std::logic_error("Responder::write before start");
  if (state_ != State::Started || !bytes || bytes->empty()) return;
  const std::size_t size = bytes->size();
  try {
    news_.chunks.push_back(std::move(bytes));
    backlog_ += size;
  } catch (const std::bad_alloc&) {
    aborted_ = news_.aborted = true;  // an answer that lacks a part is none
  }
  announce(std::move(lock));
}

void Answer::finish() {
  std::unique_lock lock(mutex_);
  if (closed_ || aborted_) return;
  if (state_ == State::Waiting) throw std::logic_error("Responder::finish before start");
  if (state_ != State::Started) return;
  state_ = State::Finished;
  news_.finished = true;
  announce(std::move(lock));
}

void Answer::abort() {
  std::unique_lock lock(mutex_);
  if (closed_ || std::exchange(aborted_, true)) return;
  news_.aborted = true;
  announce(std::move(lock));
}

void Answer::abandon() {
  State state;
  {
    std::lock_guard lock(mutex_);
    state = state_;
  }
  // Nobody else can change the state: this was the last handle.
  const bool answered = state == State::Waiting && call_isolated("httpd answer", [this] {
                          respond(500, {{"content-type", "text/plain"}}, "no answer\n");
                        });
  if (!answered && state != State::Finished) abort();
}

std::size_t Answer::backlog() const {
  std::lock_guard lock(mutex_);
  return backlog_;
}

bool Answer::closed() const {
  std::lock_guard lock(mutex_);
  return closed_ || aborted_;
}

void Answer::on_close(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    if (!closed_) {
      on_close_.swap(callback);
      return;
    }
  }
  if (callback) call_isolated("httpd on_close", callback);
}

AnswerNews Answer::take() {
  std::lock_guard lock(mutex_);
  announced_ = false;
  return std::exchange(news_, {});
}

void Answer::sent(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  backlog_ -= std::min(bytes, backlog_);
}

void Answer::close() {
  std::function<void()> callback;
  AnswerNews unsent;
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
    backlog_ = 0;
    unsent = std::exchange(news_, {});
    callback.swap(on_close_);
  }
  if (callback) call_isolated("httpd on_close", callback);
}

Responder::Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
void Responder::respond(int status, HeaderFields headers, std::string body) const {
  exchange_->answer->respond(status, std::move(headers), std::move(body));
}
void Responder::start(int status, HeaderFields headers) const {
  exchange_->answer->start(status, std::move(headers));
}
void Responder::write(std::string bytes) const {
  write(std::make_shared<const std::string>(std::move(bytes)));
}
void Responder::write(SharedBytes bytes) const {
  exchange_->answer->write(std::move(bytes));
}
void Responder::finish() const {
  exchange_->answer->finish();
}
void Responder::abort() const {
  exchange_->answer->abort();
}
std::size_t Responder::backlog() const {
  return exchange_->answer->backlog();
}
bool Responder::closed() const {
  return exchange_->answer->closed();
}
void Responder::on_close(std::function<void()> callback) const {
  exchange_->answer->on_close(std::move(callback));
}

}  // namespace kubexx::httpd
