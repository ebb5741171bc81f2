#include "transport/call.hpp"

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
  if (paused_) {
    held_.append(bytes);
    return 0;
  }
  return pass_on(bytes);
}

std::size_t Call::resume() {
  paused_ = false;
  if (ended_) return 0;
  hand_over();
  std::size_t taken = 0;
  if (!paused_) {
    std::string held;
    held.swap(held_);
    taken = pass_on(held);
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

/// What is collected while the reader pauses is the rest of a piece: it stands on the heap, so that nobody else misses
/// a buffer.
void Call::collect(std::string_view bytes) {
  while (!bytes.empty()) {
    if (collected_.room() == 0) hand_over();
    if (collected_.empty()) collected_ = paused_ ? Buffer() : buffers_->take();
    const auto part = paused_ ? bytes : bytes.substr(0, collected_.room());
    collected_.append(part);
    bytes.remove_prefix(part.size());
  }
}

void Call::hand_over() {
  if (!paused_ && !collected_.empty()) deliver(std::exchange(collected_, Buffer()));
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
  hand_over();
  if (ended_) return;
  ended_ = true;
  held_ = {};
  buffers_->trim();
  std::optional<Error> cut;
  if (!error && gunzip_ && !gunzip_->complete()) cut = Error::decode("gzip: the body ends early");
  if (cut) error = &*cut;
  with_sink([&](ResponseSink& sink) { sink.on_end(error); });
  std::shared_ptr<ResponseSink> released;
  std::lock_guard lock(mutex_);
  released = std::move(sink_);
}

}  // namespace kubexx::transport
