#include <charconv>
#include <stdexcept>
#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/meta/watch_event.hpp"
#include "kubexx/reflector/lister_watcher.hpp"

/// Several sources as one. Each part keeps the version it is at: a watch resumes each where that one ended, and a list
/// asks each for its own version. The version the reflector asks for is that of one of them and says nothing about the
/// others, unless it is none ("") or any ("0").
namespace kubexx::reflector {
namespace {

struct Part {
  std::shared_ptr<ListerWatcher> source;
  std::string at;  // strand; "" before the first list

  const std::string& version_for(const std::string& asked) const {
    return asked.empty() || asked == "0" || at.empty() ? asked : at;
  }
};

struct Parts {
  std::vector<Part> all;
};

/// A continue token names the part it belongs to and the version that was asked for: "2|12345|token".
struct ContinueToken {
  std::size_t part = 0;
  std::string version;
  std::string token;

  std::string to_string() const { return std::to_string(part) + "|" + version + "|" + token; }
  static std::optional<ContinueToken> parse(std::string_view text, std::size_t parts) {
    ContinueToken read;
    const auto first = text.find('|');
    const auto second = first == std::string_view::npos ? first : text.find('|', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + first, read.part);
    if (error != std::errc() || end != text.data() + first || read.part >= parts) return std::nullopt;
    read.version = text.substr(first + 1, second - first - 1);
    read.token = text.substr(second + 1);
    return read;
  }
};

/// Lists one part after the other; ends early where a page does.
class MergedList final : public meta::Call {
 public:
  MergedList(std::shared_ptr<Parts> parts, meta::ListOptions query, ContinueToken begin, Strand strand,
             std::shared_ptr<meta::StreamSink> sink)
      : run_(std::make_shared<Run>(std::move(parts), std::move(query), std::move(begin), std::move(strand),
                                   std::move(sink))) {
    run_->next();
  }
  ~MergedList() override {
    run_->over = true;
    run_->calls.clear();
  }
  void hold() override {
    run_->held = true;
    for (const auto& call : run_->calls) call->hold();
  }
  void resume() override {
    run_->held = false;
    for (const auto& call : run_->calls) call->resume();
  }

 private:
  /// The sink of each part's list, which holds it until ~MergedList gives the list up.
  struct Run final : meta::StreamSink, std::enable_shared_from_this<Run> {
    Run(std::shared_ptr<Parts> p, meta::ListOptions q, ContinueToken begin, Strand s,
        std::shared_ptr<meta::StreamSink> to)
        : parts(std::move(p)), query(std::move(q)), at(std::move(begin)), strand(std::move(s)), sink(std::move(to)) {}

    void next() {
      query.continue_token = at.token;
      const Part& part = parts->all[at.part];
      query.resource_version = at.token.empty() ? part.version_for(at.version) : std::string();
      auto call = part.source->list(query, strand, shared_from_this());  // which may end before it returns
      if (held) call->hold();
      calls.push_back(std::move(call));
    }
    /// The next one inside the end of the last, whose source knows nothing of what this one may throw.
    void follow() {
      try {
        next();
      } catch (...) {
        sink->on_end(Error::config("list: " + current_exception_as_error().message()));
      }
    }
    void on_open() override {
      if (!over && !std::exchange(opened, true)) sink->on_open();
    }
    void on_item(meta::Object item) override {
      if (!over) sink->on_item(std::move(item));
    }
    void on_bytes(std::size_t received) override {
      if (!over) sink->on_bytes(received);
    }
    void on_end(Result<meta::ListMeta> end) override {
      if (over) return;
      if (!end) return sink->on_end(end.error());
      if (at.token.empty()) parts->all[at.part].at = end->resource_version;
      if (!first) first = *end;
      at.token = end->continue_token;
      if (at.token.empty() && ++at.part < parts->all.size()) return follow();
      auto result = *first;
      result.continue_token = at.token.empty() ? std::string() : at.to_string();
      result.remaining_item_count.reset();
      sink->on_end(std::move(result));
    }

    std::shared_ptr<Parts> parts;
    meta::ListOptions query;
    ContinueToken at;
    Strand strand;
    std::shared_ptr<meta::StreamSink> sink;
    std::vector<std::unique_ptr<meta::Call>> calls;
    std::optional<meta::ListMeta> first;
    bool opened = false;
    bool held = false;
    bool over = false;  // canceled
  };
  std::shared_ptr<Run> run_;
};

/// Watches all parts at once. The first that ends ends them all; each is resumed where it was.
class MergedWatch final : public meta::Call {
 public:
  MergedWatch(std::shared_ptr<Parts> parts, const meta::ListOptions& query, const Strand& strand,
              std::shared_ptr<meta::StreamSink> sink)
      : run_(std::make_shared<Run>()) {
    run_->parts = std::move(parts);
    run_->sink = std::move(sink);
    run_->initial.assign(run_->parts->all.size(), query.send_initial_events.value_or(false));
    for (std::size_t i = 0; i < run_->parts->all.size(); ++i) {
      auto own = query;
      const auto& part = run_->parts->all[i];
      if (run_->initial[i]) {
        own.resource_version = part.version_for(query.resource_version);
      } else if (!part.at.empty()) {
        own.resource_version = part.at;
      }
      run_->calls.push_back(part.source->watch(own, strand, std::make_shared<Receiver>(run_, i)));
    }
  }
  ~MergedWatch() override {
    run_->over = true;
    run_->calls.clear();
  }
  void hold() override {
    for (const auto& call : run_->calls) call->hold();
  }
  void resume() override {
    for (const auto& call : run_->calls) call->resume();
  }

 private:
  struct Run {
    void opened() {
      if (++open == parts->all.size()) sink->on_open();
    }
    void event(std::size_t part, meta::WatchEvent event) {
      const bool own_end = initial[part] && event.is_initial_events_end();
      const bool ordered = !initial[part] && event.type != meta::WatchEventType::Error && event.object.has_metadata();
      if ((own_end || ordered) && !event.object.resource_version().empty()) {
        parts->all[part].at = event.object.resource_version();
      }
      if (own_end) {
        initial[part] = false;
        for (const bool waiting : initial) {
          if (waiting) return;  // the state is whole with the last of them
        }
      } else if (event.type == meta::WatchEventType::Bookmark && initial_pending()) {
        return;
      }
      sink->on_event(std::move(event));
    }
    void ended(Result<meta::ListMeta> end) {
      over = true;
      sink->on_end(std::move(end));
    }
    bool initial_pending() const {
      for (const bool waiting : initial) {
        if (waiting) return true;
      }
      return false;
    }

    std::shared_ptr<Parts> parts;
    std::shared_ptr<meta::StreamSink> sink;
    std::vector<std::unique_ptr<meta::Call>> calls;
    std::vector<bool> initial;  // of a WatchList: the part has not shown its whole state yet
    std::size_t open = 0;
    bool over = false;  // canceled, or one of them ended
  };
  struct Receiver final : meta::StreamSink {
    Receiver(std::weak_ptr<Run> r, std::size_t p) : run(std::move(r)), part(p) {}
    void on_open() override {
      if (const auto self = run.lock(); self && !self->over) self->opened();
    }
    void on_event(meta::WatchEvent event) override {
      if (const auto self = run.lock(); self && !self->over) self->event(part, std::move(event));
    }
    void on_bytes(std::size_t received) override {
      if (const auto self = run.lock(); self && !self->over) self->sink->on_bytes(received);
    }
    void on_end(Result<meta::ListMeta> end) override {
      if (const auto self = run.lock(); self && !self->over) self->ended(std::move(end));
    }
    std::weak_ptr<Run> run;
    std::size_t part;
  };
  std::shared_ptr<Run> run_;
};

class MergedSources final : public ListerWatcher {
 public:
  explicit MergedSources(std::vector<std::shared_ptr<ListerWatcher>> sources) {
    for (auto& source : sources) parts_->all.push_back({std::move(source), {}});
  }

  std::unique_ptr<meta::Call> list(const meta::ListOptions& query, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    ContinueToken begin{0, query.resource_version, {}};
    if (!query.continue_token.empty()) {
      auto parsed = ContinueToken::parse(query.continue_token, parts_->all.size());
      if (!parsed) throw std::logic_error("a continue token of somebody else");
      begin = std::move(*parsed);
    }
    return std::make_unique<MergedList>(parts_, query, std::move(begin), strand, std::move(sink));
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions& query, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    return std::make_unique<MergedWatch>(parts_, query, strand, std::move(sink));
  }
  std::unique_ptr<meta::Call> current_version(const Strand& strand, std::shared_ptr<meta::StreamSink> sink) override {
    return first().current_version(strand, std::move(sink));
  }
  bool supports_watch_list() const override { return first().supports_watch_list(); }
  bool supports_watch() const override { return first().supports_watch(); }
  bool has_one_version() const override { return false; }
  std::optional<TimePoint> watch_list_refused_until() const override { return first().watch_list_refused_until(); }
  void refuse_watch_list_until(TimePoint until) override { first().refuse_watch_list_until(until); }
  std::unique_ptr<meta::Call> await_served(const Strand& strand, Task served) override {
    return first().await_served(strand, std::move(served));
  }

 private:
  ListerWatcher& first() const { return *parts_->all.front().source; }
  std::shared_ptr<Parts> parts_ = std::make_shared<Parts>();
};

}  // namespace

std::shared_ptr<ListerWatcher> merge_sources(std::vector<std::shared_ptr<ListerWatcher>> disjoint) {
  if (disjoint.empty()) throw std::logic_error("nothing to merge");
  if (disjoint.size() == 1) return std::move(disjoint.front());
  return std::make_shared<MergedSources>(std::move(disjoint));
}

}  // namespace kubexx::reflector
