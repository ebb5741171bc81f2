#include "transport/call.hpp"

#include <algorithm>

#include "base/internal/text.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::transport {

void Call::cancel() noexcept {
  std::shared_ptr<ResponseSink> released;
  std::unique_lock lock(mutex_);
  released = std::move(sink_);
  if (caller_ != std::this_thread::get_id()) {
    idle_.wait(lock, [&] { return caller_ == std::thread::id(); });
  }
  lock.unlock();
}

template <class F>
bool Call::with_sink(F&& call) {
  std::shared_ptr<ResponseSink> sink;
  {
    std::lock_guard lock(mutex_);
    if (!sink_) return false;
    sink = sink_;
    caller_ = std::this_thread::get_id();
  }
  call_isolated("transport sink", [&] { call(*sink); });
  sink.reset();
  {
    std::lock_guard lock(mutex_);
    caller_ = std::thread::id();
    idle_.notify_all();
  }
  return true;
}

void Call::headers(int status, Headers headers) {
  if (ended_) return;
  answered_ = true;
  const std::string* header = headers.find("content-encoding");
  const std::string_view encoding = header ? trim(*header) : std::string_view();
  const bool plain = encoding.empty() || equals_ignoring_case(encoding, "identity");
  if (!plain && !request_.headers.find("accept-encoding")) {  // who asked for it himself undoes it himself
    if (!accepts_gzip || !equals_ignoring_case(encoding, "gzip")) {
      const auto error = Error::decode(target.address() + ": the answer is encoded as " +
                                       std::string(encoding.substr(0, 100)) + ", which nobody asked for");
      return finish(&error);
    }
    gunzip_ = std::make_unique<Gunzip>();
  }
  if (!with_sink([&](ResponseSink& sink) { sink.on_headers(status, headers); })) ended_ = true;
}

std::size_t Call::data(std::string_view bytes) {
  if (ended_) return bytes.size();
  if (!paused_) return pass_on(bytes);
  if (gunzip_) {
    held_.append(bytes);
  } else {
    collect(bytes);
    not_taken_ += bytes.size();
  }
  return 0;
}

std::size_t Call::resume() {
  paused_ = false;
  if (ended_) return 0;
  std::size_t delivered = 0;
  while (!paused_ && delivered < waiting_.size()) deliver(std::move(waiting_[delivered++]));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(delivered));
  hand_over();
  std::size_t left = collected_.size();
  for (const Buffer& piece : waiting_) left += piece.size();
  std::size_t taken = not_taken_ - std::min(not_taken_, left);
  not_taken_ -= taken;
  if (gunzip_ && !paused_) {
    std::string held;
    held.swap(held_);
    taken += pass_on(held);
    hand_over();
  }
  if (ending_ && !paused_) finish(nullptr);
  return taken;
}

std::size_t Call::pass_on(std::string_view bytes) {
  if (gunzip_) {
    std::string_view rest = bytes;
    pass_on_inflated(rest);
    if (ended_) return bytes.size();
    held_.assign(rest);
    return bytes.size() - rest.size();
  }
  collect(bytes);
  return bytes.size();
}

void Call::pass_on_inflated(std::string_view& bytes) {
  while (!paused_ && !ended_ && (!bytes.empty() || gunzip_->pending())) {
    auto piece = gunzip_->step(bytes);
    if (!piece) {
      finish(&piece.error());
      return;
    }
    if (piece->empty()) return;
    collect(*piece);
  }
}

/// The first piece for a reader that pauses is as large as what it has: many may pause with little.
void Call::collect(std::string_view bytes) {
  while (!bytes.empty()) {
    if (collected_.size() >= BufferPool::kBytes) hand_over();
    if (collected_.empty()) collected_ = paused_ && waiting_.empty() ? Buffer() : buffers_->take();
    const auto part = bytes.substr(0, BufferPool::kBytes - collected_.size());
    collected_.append(part);
    bytes.remove_prefix(part.size());
  }
}

void Call::hand_over() {
  if (collected_.empty()) return;
  if (!paused_) {
    deliver(std::exchange(collected_, Buffer()));
  } else if (collected_.size() >= BufferPool::kBytes) {
    waiting_.push_back(std::move(collected_));
    collected_ = Buffer();
  }
}

void Call::deliver(Buffer piece) {
  if (ended_) return;
  bool more = true;
  if (!with_sink([&](ResponseSink& sink) { more = sink.on_data(std::move(piece)); })) ended_ = true;
  if (!more) paused_ = true;
}

void Call::end(std::optional<Error> error) {
  if (ended_) return;
  if (error) return finish(&*error);
  hand_over();
  ending_ = true;
  if (!paused_) finish(nullptr);
}

void Call::finish(const Error* error) {
  if (!paused_) hand_over();
  if (ended_) return;
  std::optional<Error> cut;  // before it counts as ended: there may be no memory for it
  if (!error && gunzip_ && !gunzip_->complete()) cut = Error::decode("gzip: the body ends early");
  if (cut) error = &*cut;
  ended_ = true;
  held_ = {};
  waiting_.clear();
  collected_ = {};
  buffers_->trim();
  with_sink([&](ResponseSink& sink) { sink.on_end(error); });
  std::shared_ptr<ResponseSink> released;
  std::lock_guard lock(mutex_);
  released = std::move(sink_);
}

}  // namespace kubexx::transport
