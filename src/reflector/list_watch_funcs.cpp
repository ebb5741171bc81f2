#include <memory>
#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/reflector/lister_watcher.hpp"

namespace kubexx::reflector {
namespace {

/// Shared by the blocking function's thread and the strand: stop for the one, silence for the other.
struct Shared {
  std::stop_source stop;
  bool dropped = false;  // strand only
};

class FunctionCall final : public meta::Call {
 public:
  explicit FunctionCall(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~FunctionCall() override {
    shared_->dropped = true;
    shared_->stop.request_stop();
  }

 private:
  std::shared_ptr<Shared> shared_;
};

/// Reads a stream in turns: the next one begins when the strand has taken all of the last. So a source that is faster
/// than the strand waits, and a slow one keeps its thread only as long as its turn.
class Pull : public std::enable_shared_from_this<Pull> {
 public:
  Pull(std::shared_ptr<const ListWatchFuncs> functions, meta::ListOptions options, Strand strand,
       std::shared_ptr<meta::StreamSink> sink, std::shared_ptr<Shared> shared, std::weak_ptr<Executor> blocking)
      : functions_(std::move(functions)),
        options_(std::move(options)),
        strand_(std::move(strand)),
        sink_(std::move(sink)),
        shared_(std::move(shared)),
        blocking_(std::move(blocking)) {}

  /// On a thread that may block.
  void turn() {
    const auto stop = shared_->stop.get_token();
    if (stop.stop_requested()) return;
    try {
      if (!stream_ && !open(stop)) return;
      for (int i = 0; i < kEventsPerTurn; ++i) {
        auto next = stream_->next(stop);
        if (!next) return end(next.error());
        if (!*next) return end(meta::ListMeta());
        deliver([event = std::move(**next)](meta::StreamSink& s) mutable { s.on_event(std::move(event)); });
      }
    } catch (...) {
      return end(current_exception_as_error().with_context("watch function"));
    }
    strand_.post([self = shared_from_this()]() mutable {
      const auto executor = self->blocking_.lock();  // also when dropped: the stream goes where it may block
      if (executor) executor->post([self = std::move(self)] { self->turn(); });
    });
  }

 private:
  static constexpr int kEventsPerTurn = 256;

  bool open(const std::stop_token& stop) {
    auto stream =
        functions_->watch ? functions_->watch(options_, stop) : Error::config("this source has no watch function");
    if (!stream) {
      end(stream.error());
      return false;
    }
    stream_ = std::move(*stream);
    deliver([](meta::StreamSink& s) { s.on_open(); });
    return true;
  }
  void end(Result<meta::ListMeta> how) {
    deliver([how = std::move(how)](meta::StreamSink& s) mutable { s.on_end(std::move(how)); });
  }
  void deliver(UniqueFunction<void(meta::StreamSink&)> what) {
    strand_.post([sink = sink_, shared = shared_, what = std::move(what)]() mutable {
      if (!shared->dropped) what(*sink);
    });
  }

  const std::shared_ptr<const ListWatchFuncs> functions_;
  const meta::ListOptions options_;
  const Strand strand_;
  const std::shared_ptr<meta::StreamSink> sink_;
  const std::shared_ptr<Shared> shared_;
  const std::weak_ptr<Executor> blocking_;
  std::unique_ptr<EventStream> stream_;
};

class FunctionListerWatcher final : public ListerWatcher {
 public:
  FunctionListerWatcher(ListWatchFuncs functions, std::shared_ptr<Executor> blocking)
      : functions_(std::make_shared<const ListWatchFuncs>(std::move(functions))), blocking_(std::move(blocking)) {}

  std::unique_ptr<meta::Call> list(const meta::ListOptions& options, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    auto shared = std::make_shared<Shared>();
    blocking_->post([functions = functions_, options, strand, sink, shared] {
      Result<ObjectList> result = Error::config("this source has no list function");
      if (functions->list) {
        try {
          result = functions->list(options, shared->stop.get_token());
        } catch (...) {
          result = current_exception_as_error().with_context("list function");
        }
      }
      strand.post([sink, shared, result = std::move(result)]() mutable {
        if (shared->dropped) return;
        if (!result) return sink->on_end(result.error());
        sink->on_open();
        for (auto& item : result->items) {
          if (shared->dropped) return;
          sink->on_item(std::move(item));
        }
        if (!shared->dropped) sink->on_end(std::move(result->meta));
      });
    });
    return std::make_unique<FunctionCall>(shared);
  }

  std::unique_ptr<meta::Call> watch(const meta::ListOptions& options, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    auto shared = std::make_shared<Shared>();
    auto pull = std::make_shared<Pull>(functions_, options, strand, std::move(sink), shared, blocking_);
    blocking_->post([pull = std::move(pull)] { pull->turn(); });
    return std::make_unique<FunctionCall>(shared);
  }

  bool supports_watch_list() const override { return functions_->supports_watch_list; }
  bool supports_watch() const override { return static_cast<bool>(functions_->watch); }

 private:
  std::shared_ptr<const ListWatchFuncs> functions_;
  std::shared_ptr<Executor> blocking_;
};

}  // namespace

std::shared_ptr<ListerWatcher> make_lister_watcher(ListWatchFuncs functions, std::shared_ptr<Executor> blocking) {
  return std::make_shared<FunctionListerWatcher>(std::move(functions), std::move(blocking));
}

}  // namespace kubexx::reflector
