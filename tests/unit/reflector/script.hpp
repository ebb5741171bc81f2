#pragma once

#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/reflector/reflector.hpp"

namespace kubexx::reflector {

/// An object of kind ConfigMap, as lists and watches of a server bring it.
inline meta::Object config_map(const std::string& name, const std::string& version, const std::string& value = "") {
  return meta::object_from_json(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
                                R"(","namespace":"ns","uid":"u-)" + name + R"(","resourceVersion":")" + version +
                                R"("},"data":{"v":")" + value + R"("}})");
}

inline meta::WatchEvent bookmark(const std::string& version, bool initial_end = false) {
  const std::string note = initial_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return {meta::WatchEventType::Bookmark,
          meta::object_from_json(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
                                 R"(")" + note + "}}")};
}

inline meta::WatchEvent status_event(int code, const std::string& reason, const std::string& message) {
  return {meta::WatchEventType::Error,
          meta::object_from_json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
                                 message + R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}")};
}

/// A lister-watcher that answers as scripted and remembers every request.
class Script final : public ListerWatcher {
 public:
  struct ListAnswer {
    std::vector<meta::Object> items;
    Result<meta::ListMeta> end;
  };
  struct Stream {
    std::shared_ptr<meta::StreamSink> sink;
    Strand strand;
    bool alive = true;
    int ends = 0;                  // how often its call was given up
    bool ended_on_strand = false;  // once not alive
    void open() {
      run([](meta::StreamSink& s) { s.on_open(); });
    }
    void send(meta::WatchEvent event) {
      run([event](meta::StreamSink& s) { s.on_event(event); });
    }
    /// As one piece of bytes brings them.
    void send_together(std::vector<meta::WatchEvent> events) {
      run([events](meta::StreamSink& s) {
        for (const auto& event : events) s.on_event(event);
      });
    }
    void receive(std::size_t bytes) {
      run([bytes](meta::StreamSink& s) { s.on_bytes(bytes); });
    }
    void close() {
      run([](meta::StreamSink& s) { s.on_end(meta::ListMeta{}); });
    }
    void fail(Error error) {
      run([error](meta::StreamSink& s) { s.on_end(error); });
    }

   private:
    template <class F>
    void run(F what) {
      strand.post([what, sink = sink, alive = &this->alive] {
        if (*alive) what(*sink);
      });
    }
  };

  std::unique_ptr<meta::Call> list(const meta::ListOptions& options, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    if (options.limit == 1 && options.resource_version.empty()) {
      ++version_checks;
      if (!current_version.empty()) {
        strand.post([sink, version = current_version] {
          sink->on_end(meta::ListMeta{"v1", "ConfigMapList", version, "", {}});
        });
      }
      return std::make_unique<Held>(nullptr);
    }
    if (throws) throw std::runtime_error("the source is broken");
    lists.push_back(options);
    if (!answers.empty()) {
      auto answer = std::move(answers.front());
      answers.pop_front();
      strand.post([sink, answer]() mutable {
        if (answer.end) sink->on_open();
        sink->on_bytes(kListBytes);
        for (auto& item : answer.items) sink->on_item(item);
        sink->on_end(answer.end);
      });
    }
    return std::make_unique<Held>(nullptr);
  }

  std::unique_ptr<meta::Call> watch(const meta::ListOptions& options, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    if (throws) throw std::runtime_error("the source is broken");
    watches.push_back(options);
    auto stream = std::make_shared<Stream>(Stream{std::move(sink), strand});
    streams.push_back(stream);
    if (!refusals.empty()) {
      const bool refused = refusals.front().has_value();
      if (refused) stream->fail(*refusals.front());
      refusals.pop_front();
      if (refused) return std::make_unique<Held>(stream);
    }
    if (!holds_watches) stream->open();
    return std::make_unique<Held>(stream);
  }

  bool supports_watch_list() const override { return watch_list; }
  bool supports_watch() const override { return watchable; }
  std::optional<TimePoint> watch_list_refused_until() const override {
    return client ? std::optional(client->refused_until) : std::nullopt;
  }
  void refuse_watch_list_until(TimePoint until) override {
    if (client) client->refused_until = until;
  }
  std::unique_ptr<meta::Call> await_served(const Strand&, Task served) override {
    if (!can_await) return nullptr;
    served_again = std::move(served);
    return std::make_unique<Held>(nullptr);
  }

  void answer(std::vector<meta::Object> items, const std::string& version, const std::string& continue_token = "") {
    answers.push_back({std::move(items), meta::ListMeta{"v1", "ConfigMapList", version, continue_token, {}}});
  }
  void answer(Error error) { answers.push_back({{}, std::move(error)}); }
  Stream& stream() { return *streams.back(); }

  static constexpr std::size_t kListBytes = 100;  // what every answer is said to have had

  bool watch_list = false;
  bool watchable = true;
  bool can_await = false;
  bool holds_watches = false;  // until the test opens them
  bool throws = false;         // out of list and watch
  struct Client {
    TimePoint refused_until{};
  };
  std::shared_ptr<Client> client;  // null: refusals are not remembered for others
  std::string current_version;     // answers version checks; empty: they hang
  int version_checks = 0;
  std::deque<ListAnswer> answers;
  std::deque<std::optional<Error>> refusals;  // for the next watches; nullopt: accepted
  std::vector<meta::ListOptions> lists;
  std::vector<meta::ListOptions> watches;
  std::vector<std::shared_ptr<Stream>> streams;
  Task served_again;

 private:
  struct Held final : meta::Call {
    explicit Held(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
    ~Held() override {
      if (!stream_) return;
      stream_->alive = false;
      ++stream_->ends;
      stream_->ended_on_strand = stream_->strand.running_in_this_thread();
    }
    std::shared_ptr<Stream> stream_;
  };
};

/// A sink that keeps the state as "name@version" and a history of calls.
class Recorder final : public DeltaSink {
 public:
  Result<void> add(meta::Object o) override { return put("add", o); }
  Result<void> update(meta::Object o) override { return put("update", o); }
  Result<void> remove(meta::Object o) override {
    history.push_back("remove " + text(o));
    state.erase(std::string(o.name()));
    return {};
  }
  Result<void> replace(std::vector<meta::Object> objects, std::string version) override {
    if (fail_replace) return Error::config("no room");
    std::string line = "replace";
    state.clear();
    for (const auto& o : objects) {
      line += " " + text(o);
      state[std::string(o.name())] = std::string(o.resource_version());
    }
    history.push_back(line + " at " + version);
    return {};
  }
  Result<void> resync() override {
    history.push_back("resync");
    if (fail_resync) return Error::config("resync refused");
    return {};
  }
  void confirm() override { history.push_back("confirm"); }
  void bookmark(std::string_view version) override { history.push_back("bookmark " + std::string(version)); }

  std::vector<std::string> history;
  std::map<std::string, std::string> state;
  bool fail_replace = false;
  bool fail_resync = false;

 private:
  static std::string text(const meta::Object& o) {
    return std::string(o.name()) + "@" + std::string(o.resource_version());
  }
  Result<void> put(const char* what, const meta::Object& o) {
    history.push_back(std::string(what) + " " + text(o));
    state[std::string(o.name())] = std::string(o.resource_version());
    return {};
  }
};

}  // namespace kubexx::reflector
