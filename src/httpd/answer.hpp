#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/httpd/server.hpp"

namespace kubexx::httpd {

class Answer;

/// Carries "this answer has news" from any thread to the connection's I/O thread, many at a time.
class AnswerQueue {
 public:
  /// `notify` makes the I/O thread call take() soon; it is called with the lock held and must only post.
  explicit AnswerQueue(std::function<void()> notify);
  void post(std::shared_ptr<Answer> answer);
  std::vector<std::shared_ptr<Answer>> take();
  void close();  ///< from now on post does nothing

 private:
  std::mutex mutex_;
  std::function<void()> notify_;                  // guarded by mutex_; empty when closed
  std::vector<std::shared_ptr<Answer>> waiting_;  // guarded by mutex_; not empty: notify_ was called
};

struct AnswerHead {
  int status = 200;
  HeaderFields headers;
  bool whole = false;  ///< the body is complete: its length can be announced
};

/// What the answering side said since the I/O thread last looked.
struct AnswerNews {
  std::optional<AnswerHead> head;
  std::vector<SharedBytes> chunks;
  bool finished = false;
  bool aborted = false;
};

/// One answer, shared by whoever gives it (through Responder) and the session that sends it.
class Answer : public std::enable_shared_from_this<Answer> {
 public:
  Answer(std::shared_ptr<AnswerQueue> queue, std::int32_t stream);

  // The answering side, any thread.
  void respond(int status, HeaderFields headers, std::string body);
  void start(int status, HeaderFields headers);
  void write(SharedBytes bytes);
  void finish();
  void abort();
  void abandon();  ///< nobody can answer any more
  std::size_t backlog() const;
  bool closed() const;
  void on_close(std::function<void()> callback);

  // The sending side, the I/O thread.
  std::int32_t stream() const noexcept { return stream_; }
  AnswerNews take();
  void sent(std::size_t bytes);
  void close();  ///< complete and sent, or the peer is gone

 private:
  enum class State : std::uint8_t { Waiting, Started, Finished };
  void announce(std::unique_lock<std::mutex> lock);
  void begin(int status, HeaderFields headers, bool whole);

  const std::shared_ptr<AnswerQueue> queue_;
  const std::int32_t stream_;
  mutable std::mutex mutex_;
  State state_ = State::Waiting;  // this and all below guarded by mutex_
  AnswerNews news_;
  bool announced_ = false;
  bool aborted_ = false;
  bool closed_ = false;
  std::size_t backlog_ = 0;
  std::function<void()> on_close_;
};

/// The handle behind a Responder's copies: its end means that nobody can answer any more.
struct KUBEXX_HIDDEN Responder::Exchange {
  explicit Exchange(std::shared_ptr<Answer> a) : answer(std::move(a)) {}
  ~Exchange() { answer->abandon(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  const std::shared_ptr<Answer> answer;
};

}  // namespace kubexx::httpd
