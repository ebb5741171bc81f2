#include <atomic>
#include <mutex>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/reflector/lister_watcher.hpp"

namespace kubexx::reflector {
namespace {

/// Shared by the blocking function's thread and the strand: stop for the one, silence for the other.
struct Shared {
  std::stop_source stop;
  bool dropped = false;  // strand only
};

class FunctionCall final : public Call {
 public:
  explicit FunctionCall(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~FunctionCall() override {
    shared_->dropped = true;
    shared_->stop.request_stop();
  }

 private:
  std::shared_ptr<Shared> shared_;
};

class FunctionListerWatcher final : public ListerWatcher {
 public:
  FunctionListerWatcher(ListWatchFuncs functions, std::shared_ptr<Executor> blocking)
      : functions_(std::make_shared<const ListWatchFuncs>(std::move(functions))), blocking_(std::move(blocking)) {}

  std::unique_ptr<Call> list(const meta::ListOptions& options, const Strand& strand,
                             std::shared_ptr<ListSink> sink) override {
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
        for (auto& item : result->items) {
          if (shared->dropped) return;
          sink->on_item(std::move(item));
        }
        if (!shared->dropped) sink->on_end(std::move(result->meta));
      });
    });
    return std::make_unique<FunctionCall>(shared);
  }

  std::unique_ptr<Call> watch(const meta::ListOptions& options, const Strand& strand,
                              std::shared_ptr<WatchSink> sink) override {
    auto shared = std::make_shared<Shared>();
    blocking_->post([functions = functions_, options, strand, sink, shared] {
      const auto deliver = [&](UniqueFunction<void(WatchSink&)> what) {
        strand.post([sink, shared, what = std::move(what)]() mutable {
          if (!shared->dropped) what(*sink);
        });
      };
      try {
        if (!functions->watch) {
          return deliver([](WatchSink& s) {
            const auto error = Error::config("this source has no watch function");
            s.on_end(&error);
          });
        }
        auto stream = functions->watch(options, shared->stop.get_token());
        if (!stream) return deliver([error = stream.error()](WatchSink& s) { s.on_end(&error); });
        deliver([](WatchSink& s) { s.on_open(); });
        while (true) {
          auto next = (*stream)->next(shared->stop.get_token());
          if (!next) return deliver([error = next.error()](WatchSink& s) { s.on_end(&error); });
          if (!*next) return deliver([](WatchSink& s) { s.on_end(nullptr); });
          deliver([event = std::move(**next)](WatchSink& s) mutable { s.on_event(std::move(event)); });
        }
      } catch (...) {
        deliver(
            [error = current_exception_as_error().with_context("watch function")](WatchSink& s) { s.on_end(&error); });
      }
    });
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
