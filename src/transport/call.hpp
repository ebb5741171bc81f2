#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kubexx/transport/transport.hpp"
#include "transport/buffer_pool.hpp"
#include "transport/event_loop.hpp"
#include "transport/gunzip.hpp"
#include "transport/target.hpp"

namespace kubexx::transport {

class Call;

/// What carries a call at the moment: an HTTP/2 connection or an HTTP/1.1 transfer.
class Carrier {
 public:
  virtual ~Carrier() = default;
  virtual void drop(Call& call) = 0;                        ///< close its stream; no end is reported
  virtual void resumed(Call& call, std::size_t taken) = 0;  ///< the reader takes bytes again, and took so many
};

/// Whom carriers tell about the calls they carry.
class CallOwner {
 public:
  virtual ~CallOwner() = default;
  virtual void finished(std::shared_ptr<Call> call, std::optional<Error> error) = 0;
  /// The peer said that it did not look at the request: it may be sent again elsewhere.
  virtual void refused(std::shared_ptr<Call> call, Error error) = 0;
  /// The carrier carries nothing any more and must not be used again. May destroy it only after the call returned to
  /// the event loop, except where the carrier says otherwise.
  virtual void retire(Carrier& carrier) = 0;
};

/// One exchange: gates the calls of its sink, collects what comes at once, holds what a paused reader has not taken,
/// undoes gzip.
///
/// Threads: cancel from any thread, everything else on the I/O thread.
class Call {
 public:
  Call(Request request, std::shared_ptr<ResponseSink> sink, std::shared_ptr<BufferPool> buffers)
      : request_(std::move(request)), buffers_(std::move(buffers)), sink_(std::move(sink)) {}

  const Request& request() const noexcept { return request_; }

  /// After this returned the sink is not called any more; a running call is waited for unless it is the caller.
  void cancel() noexcept;

  void headers(int status, Headers headers);
  /// Collects bytes for the reader, or holds them while it pauses. Returns how many bytes of the stream were taken.
  std::size_t data(std::string_view bytes);
  /// Nothing more is there at the moment: what was collected goes to the reader.
  void hand_over();
  std::size_t resume();
  /// An error is delivered at once; a clean end waits until the reader took what is held.
  void end(std::optional<Error> error);

  bool paused() const noexcept { return paused_; }
  bool answered() const noexcept { return answered_; }  ///< the sink saw headers
  bool ended() const noexcept { return ended_; }        ///< on_end was delivered, or nobody listens any more

  // Bookkeeping of the I/O thread.
  Target target;
  Carrier* carrier = nullptr;
  std::int32_t stream_id = 0;
  int attempts = 0;
  bool accepts_gzip = false;  ///< we asked for it, so we undo it
  std::optional<EventLoop::TimerId> deadline;

 private:
  template <class F>
  bool with_sink(F&& call);
  std::size_t pass_on(std::string_view bytes);
  void pass_on_inflated(std::string_view& bytes);
  void collect(std::string_view bytes);
  void deliver(Buffer piece);
  void finish(const Error* error);

  const Request request_;
  const std::shared_ptr<BufferPool> buffers_;
  std::unique_ptr<Gunzip> gunzip_;
  Buffer collected_;             // the piece under way
  std::vector<Buffer> waiting_;  // full ones before it, for a reader that pauses
  std::size_t not_taken_ = 0;    // bytes in both that the stream was not told to be taken
  std::string held_;             // not inflated yet
  bool paused_ = false;
  bool answered_ = false;
  bool ending_ = false;
  bool ended_ = false;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::shared_ptr<ResponseSink> sink_;  // guarded by mutex_
  std::thread::id caller_;              // guarded by mutex_; the thread inside the sink
};

}  // namespace kubexx::transport
