#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "kubexx/informer/client_lister_watcher.hpp"
#include "support/fixture_executor.hpp"
#include "unit/codec/traces.hpp"
#include "unit/reflector/script.hpp"

/// Watch streams recorded from a real server drive the reflector through the REST client, cut at every byte.
namespace kubexx::informer {
namespace {

using reflector::Recorder;

/// Answers watches with recorded bytes, one after the other, and every list with the same.
class Player final : public transport::Transport {
 public:
  struct Answer {
    std::string type;
    std::string body;
    bool cut = false;   // the connection breaks after the body
    bool open = false;  // the stream stays open after the body
  };
  explicit Player(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}
  std::deque<Answer> answers;
  std::string list;

  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    auto alive = std::make_shared<bool>(true);
    std::optional<Answer> next;
    if (request.url.find("watch=") == std::string::npos) {
      next = Answer{"application/json", list};
    } else if (!answers.empty()) {
      next = std::move(answers.front());
      answers.pop_front();
    }
    if (next) {
      executor_->post([answer = std::move(*next), sink, alive] {
        if (*alive) sink->on_headers(200, {{"Content-Type", answer.type}});
        if (*alive && !answer.body.empty()) sink->on_data(answer.body);
        const auto reset = Error::transport(TransportFailure::Reset, "cut");
        if (*alive && !answer.open) sink->on_end(answer.cut ? &reset : nullptr);
      });
    }
    return std::make_unique<Held>(std::move(alive));
  }

 private:
  struct Held final : transport::Exchange {
    explicit Held(std::shared_ptr<bool> a) : alive(std::move(a)) {}
    ~Held() override { *alive = false; }
    void resume() override {}
    std::shared_ptr<bool> alive;
  };
  std::shared_ptr<Executor> executor_;
};

constexpr const char* kJson = "application/json";
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf;stream=watch";

class TracesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (codec::test::traces().empty()) GTEST_SKIP() << "no recorded exchanges beside the source tree";
  }
  static std::string trace(const std::string& name) {
    return codec::test::read_file(codec::test::traces() / (name + ".body"));
  }
  struct Run {
    FixtureExecutor executor;
    std::shared_ptr<Player> player = std::make_shared<Player>(executor);
    std::shared_ptr<Recorder> sink = std::make_shared<Recorder>();
    std::shared_ptr<reflector::Reflector> reflector;

    void go(const meta::GroupVersionResource& resource, rest::Format format, bool watch_list) {
      static int runs = 0;
      rest::Config config;
      config.host = "http://trace-" + std::to_string(++runs);
      rest::ClientOptions client;
      client.transport = player;
      client.executor = executor;
      client.handlers = executor;
      client.metrics = std::make_shared<MetricsRegistry>();
      ClientSourceOptions source;
      source.format = format;
      reflector::ReflectorOptions options;
      options.backoff = Backoff::none();
      options.version_check = Duration::zero();
      options.watch_list = watch_list;
      options.watch_error_handler = [](const reflector::WatchError&) {};
      auto lister_watcher = make_client_lister_watcher(rest::Client::create(config, client).value(), resource, source);
      reflector = reflector::Reflector::create(std::move(lister_watcher), sink, Strand(executor), std::move(options));
      reflector->start();
      executor->advance(std::chrono::seconds(3));
    }
    std::size_t replaces() const {
      return static_cast<std::size_t>(std::count_if(sink->history.begin(), sink->history.end(),
                                                    [](const auto& line) { return line.starts_with("replace"); }));
    }
    ~Run() {
      if (reflector) reflector->stop();
      executor->run_until_idle();
    }
  };
  static void watch_list_cut_everywhere(const std::string& body, const char* type, rest::Format format) {
    std::map<std::string, std::string> whole;
    {
      Run run;
      run.player->answers.push_back({type, body, false, true});
      run.go({"", "v1", "configmaps"}, format, true);
      whole = run.sink->state;
      ASSERT_EQ(run.replaces(), 1U);
      ASSERT_GE(whole.size(), 5U);
    }
    for (std::size_t at = 0; at < body.size(); ++at) {
      Run run;
      run.player->answers.push_back({type, body.substr(0, at), true, false});
      run.player->answers.push_back({type, body, false, true});
      run.go({"", "v1", "configmaps"}, format, true);
      ASSERT_EQ(run.replaces(), 1U) << "cut at " << at;
      ASSERT_TRUE(run.sink->history.front().starts_with("replace")) << "cut at " << at;
      ASSERT_EQ(run.sink->state, whole) << "cut at " << at;
    }
  }
};

TEST_F(TracesTest, ARecordedWatchListCutAnywhereEndsInTheSameStateOnce) {
  watch_list_cut_everywhere(trace("073-watchlist-json"), kJson, rest::Format::Json);
}

TEST_F(TracesTest, ARecordedProtobufWatchListCutAnywhereEndsInTheSameStateOnce) {
  watch_list_cut_everywhere(trace("074-watchlist-protobuf"), kProtobuf, rest::Format::Protobuf);
}

TEST_F(TracesTest, ARecordedWatchUntilItsDefinitionIsRemovedCutAnywhereEndsEmpty) {
  const auto body = trace("091-cr-watch-until-crd-removed");
  const std::string empty =
      R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"FooList","metadata":{"resourceVersion":"300"},"items":[]})";
  for (std::size_t at = 0; at <= body.size(); ++at) {
    Run run;
    run.player->list = empty;
    run.player->answers.push_back({kJson, body.substr(0, at), true, false});
    run.player->answers.push_back({kJson, body, false, true});
    run.go({"samplecontroller.k8s.io", "v1alpha1", "foos"}, rest::Format::Json, false);
    ASSERT_TRUE(run.sink->state.empty()) << "cut at " << at;
    ASSERT_EQ(run.sink->history.front(), "replace at 300");
    ASSERT_TRUE(run.sink->history.back().starts_with("remove")) << "cut at " << at;
  }
}

TEST_F(TracesTest, ARecordedExpiredWatchCutAnywhereListsAgainOnce) {
  const std::string list =
      R"({"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"300"},"items":[]})";
  for (const bool protobuf : {false, true}) {
    const auto format = protobuf ? rest::Format::Protobuf : rest::Format::Json;
    const auto type = protobuf ? kProtobuf : kJson;
    const auto body = trace(protobuf ? "902-watch-version-too-old-410-protobuf" : "901-watch-version-too-old-410");
    const std::size_t whole = body.ends_with('\n') ? body.size() - 1 : body.size();
    for (std::size_t at = 0; at <= whole; ++at) {
      Run run;
      run.player->list = list;
      if (at < whole) run.player->answers.push_back({type, body.substr(0, at), true, false});
      run.player->answers.push_back({type, body});
      run.player->answers.push_back({kJson, "", false, true});
      run.go({"", "v1", "configmaps"}, format, false);

      const auto status = run.reflector->status();
      ASSERT_EQ(status.restarts.at("expired"), 1U) << "cut at " << at;
      ASSERT_EQ(run.sink->history.back(), "replace at 300") << "cut at " << at;
      ASSERT_EQ(status.state, reflector::ReflectorState::Watching) << "cut at " << at;
    }
  }
}

}  // namespace
}  // namespace kubexx::informer
