#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/stream.hpp"

namespace kubexx::meta {

/// Reads the body of a list or a watch from chunks of any size and hands over one item or event at a time without
/// holding the body: calls the sink's on_item or on_event, asks it for what it knows, and nothing else of it.
///
/// Threads: one at a time. The sink must outlive the reader.
/// Stop: stop(), also inside a call of the sink: the rest of the chunk is not looked at.
/// Errors: what cannot be read is an Error of feed(), and of everything that follows; what was delivered stays so. What
/// the sink throws passes through feed(), and is the Error of everything that follows.
/// Example:
///
///     meta::JsonWatchReader reader({}, *stream_sink);
///     if (auto fed = reader.feed(R"({"type":"ADDED","object":{"kind":"Pod"}})"); !fed) complain(fed.error());
///     auto end = reader.finish();  // an Error inside an event
class KUBEXX_EXPORT StreamReader {
 public:
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;
  virtual ~StreamReader() = default;

  /// An Error stays: what follows cannot be trusted.
  Result<void> feed(std::string_view chunk) {
    if (failed_) return *failed_;
    if (stopped_) return {};
    try {
      auto fed = body_->read(chunk);
      if (!fed) failed_ = fed.error();
      return fed;
    } catch (...) {  // of a sink, or for want of memory: in the middle of an object
      failed_ = current_exception_as_error();
      throw;
    }
  }
  /// The body ended: the kind and metadata of a list, nothing for a watch; an Error when it is cut.
  Result<ListMeta> finish() {
    if (failed_) return *failed_;
    return body_->end();
  }
  /// Nothing more is delivered. Inside a call of the sink: feed() returns without the rest of its chunk.
  void stop() noexcept { stopped_ = true; }
  /// A watch has shown its initial state: the bookmark that says so was delivered.
  bool initial_events_ended() const noexcept { return initial_events_ended_; }
  /// Bytes of an event that has begun.
  std::size_t buffered() const noexcept { return body_->buffered(); }

 protected:
  /// Takes a body of one encoding apart.
  struct Body {
    virtual ~Body() = default;
    virtual Result<void> read(std::string_view chunk) = 0;
    virtual Result<ListMeta> end() = 0;
    virtual std::size_t buffered() const noexcept { return 0; }
  };

  StreamReader(StreamSink& sink, std::unique_ptr<Body> body) noexcept : sink_(sink), body_(std::move(body)) {}
  /// Who may know an object already; null: nobody does now.
  const StreamSink* knower() const { return sink_.has_known() ? &sink_ : nullptr; }
  void deliver(Object item) { sink_.on_item(std::move(item)); }
  void deliver(WatchEvent event) {
    if (event.is_initial_events_end()) initial_events_ended_ = true;
    sink_.on_event(std::move(event));
  }
  bool stopped() const noexcept { return stopped_; }

 private:
  StreamSink& sink_;
  const std::unique_ptr<Body> body_;
  std::optional<Error> failed_;
  bool stopped_ = false;
  bool initial_events_ended_ = false;
};

}  // namespace kubexx::meta
