#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

/// A minute on a link that is cut twice a second and refuses one connection in five, with 150 changes a second.
namespace kubexx::reflector {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A server with one ConfigMap for each of a few names, behind such a link.
class FlakyServer final : public ListerWatcher {
 public:
  FlakyServer(std::uint64_t seed, const Clock& clock) : random_(seed), clock_(clock) {}

  void write() {
    const auto name = "m" + std::to_string(random_.below(20));
    history_.push_back(config_map(name, std::to_string(history_.size() + 1)));
    std::erase_if(watches_, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : watches_) {
      strand_->post([weak] {
        if (const auto watch = weak.lock()) watch->more();
      });
    }
  }
  /// From now on, or not any more. What is open is cut once.
  void make_flaky(bool flaky) {
    flaky_ = flaky;
    for (const auto& weak : watches_) {
      strand_->post([weak] {
        const auto watch = weak.lock();
        if (watch) watch->broken_at = {};
        if (watch) watch->usable();
      });
    }
  }
  std::map<std::string, std::string> state() const {
    std::map<std::string, std::string> now;
    for (const auto& object : history_) now[std::string(object.name())] = object.resource_version();
    return now;
  }

  std::unique_ptr<meta::Call> list(const meta::ListOptions&, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    auto connection = connect(strand, std::move(sink));
    connection->timer = strand.post_after(kLatency, [this, link = connection.get()] {
      if (!link->usable()) return;
      std::map<std::string, meta::Object> now;
      for (const auto& object : history_) now[std::string(object.name())] = object;
      for (const auto& [name, object] : now) link->sink->on_item(object);
      link->end(meta::ListMeta{"v1", "ConfigMapList", std::to_string(history_.size()), "", {}});
    });
    return std::make_unique<Held>(std::move(connection));
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions& query, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    auto connection = connect(strand, std::move(sink));
    connection->sent = std::stoul(query.resource_version);
    connection->timer = strand.post_after(kLatency, [this, link = connection] {
      if (!link->usable()) return;
      link->sink->on_open();
      link->server = this;
      watches_.push_back(link);
      link->more();
    });
    return std::make_unique<Held>(std::move(connection));
  }
  bool supports_watch_list() const override { return false; }

 private:
  static constexpr Duration kLatency = milliseconds(5);
  struct Connection {
    bool usable() {
      if (over) return false;
      if (clock->now() < broken_at) return true;
      end(Error::transport(refused ? TransportFailure::Refused : TransportFailure::Reset, "broken"));
      return false;
    }
    void end(Result<meta::ListMeta> how) {
      over = true;
      timer.cancel();
      cut.cancel();
      sink->on_end(std::move(how));
    }
    void more() {
      while (server && sent < server->history_.size() && usable()) {
        sink->on_event({meta::WatchEventType::Modified, server->history_[sent++]});
      }
    }
    std::shared_ptr<meta::StreamSink> sink;
    const Clock* clock = nullptr;
    TimePoint broken_at = TimePoint::max();
    bool refused = false;
    bool over = false;
    std::size_t sent = 0;
    FlakyServer* server = nullptr;  // once open
    Timer timer;
    Timer cut;
  };
  struct Held final : meta::Call {
    explicit Held(std::shared_ptr<Connection> c) : connection(std::move(c)) {}
    ~Held() override {
      connection->over = true;
      connection->timer.cancel();
      connection->cut.cancel();
    }
    std::shared_ptr<Connection> connection;
  };

  std::shared_ptr<Connection> connect(const Strand& strand, std::shared_ptr<meta::StreamSink> sink) {
    strand_ = strand;
    auto connection = std::make_shared<Connection>();
    connection->sink = std::move(sink);
    connection->clock = &clock_;
    if (!flaky_) return connection;
    connection->refused = random_.uniform() < 0.2;
    const auto life = connection->refused ? 0.0 : -0.5 * std::log(1 - random_.uniform());
    const auto left = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(life));
    connection->broken_at = clock_.now() + left;
    connection->cut = strand.post_after(left, [link = connection.get()] { link->usable(); });
    return connection;
  }

  Random random_;
  const Clock& clock_;
  bool flaky_ = false;
  std::optional<Strand> strand_;
  std::vector<meta::Object> history_;
  std::vector<std::weak_ptr<Connection>> watches_;
};

/// When the last news came, and the longest time without.
class News final : public DeltaSink {
 public:
  explicit News(const Clock& clock) : clock_(clock) {}
  Result<void> add(meta::Object object) override { return update(std::move(object)); }
  Result<void> update(meta::Object object) override {
    const auto version = std::stoul(std::string(object.resource_version()));
    EXPECT_GT(version, version_);  // never back in time, and nothing twice
    version_ = version;
    state[std::string(object.name())] = object.resource_version();
    look();
    last_ = clock_.now();
    return {};
  }
  void look() { longest = std::max(longest, clock_.now() - last_); }
  Result<void> remove(meta::Object) override { return {}; }
  Result<void> replace(std::vector<meta::Object> objects, std::string version) override {
    state.clear();
    for (const auto& object : objects) state[std::string(object.name())] = object.resource_version();
    version_ = std::stoul(version);
    return {};
  }
  Result<void> resync() override { return {}; }

  std::map<std::string, std::string> state;
  Duration longest{};

 private:
  const Clock& clock_;
  std::size_t version_ = 0;
  TimePoint last_ = clock_.now();
};

struct Minute {
  Duration longest;  ///< time without news
  std::uint64_t lists;
};

Minute live_through(std::uint64_t seed) {
  const FixtureExecutor executor;
  const auto server = std::make_shared<FlakyServer>(seed, executor->clock());
  const auto news = std::make_shared<News>(executor->clock());
  Random random(seed + 1000);
  ReflectorOptions options;
  options.random = &random;
  const auto reflector = Reflector::create(server, news, Strand(executor), options);
  const auto change_for = [&](seconds time) {
    for (auto change = 150 * time.count(); change > 0; --change) {
      server->write();
      executor->advance(Duration(seconds(1)) / 150);
    }
  };
  server->write();
  reflector->start();
  change_for(seconds(1));
  EXPECT_EQ(reflector->status().state, ReflectorState::Watching);

  server->make_flaky(true);
  change_for(seconds(60));
  news->look();
  const Minute minute{news->longest, reflector->status().lists};

  server->make_flaky(false);
  executor->advance(seconds(2));
  EXPECT_EQ(news->state, server->state());
  reflector->stop();
  executor->run_until_idle();
  return minute;
}

TEST(FlakyLinkTest, AMinuteOfCutsAndRefusalsLeavesNoLongTimeWithoutNewsAndNeedsNoList) {
  std::vector<Duration> longest;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto minute = live_through(seed);
    EXPECT_LE(minute.lists, 1U);
    longest.push_back(minute.longest);
  }
  std::sort(longest.begin(), longest.end());

  EXPECT_LE(longest[8], seconds(3));
  EXPECT_LE(longest[9], seconds(6));
}

}  // namespace
}  // namespace kubexx::reflector
