#include "kubexx/client/retry_watcher.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "contract/any_server.hpp"
#include "kubexx/client/until.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "support/function_sink.hpp"

namespace kubexx::contract {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testkit::FaultProxy;

/// Watches behind a proxy that breaks their connections; the test itself writes past the proxy.
class RetriedWatchTest : public AnyServerTest {
 protected:
  void SetUp() override {
    AnyServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    proxy_.emplace(config());
    auto options = transport_options(proxy_->config());
    options.read_idle = milliseconds(500);  // so that stopped peers are found within a test
    options.ping_timeout = seconds(2);
    rest::ClientOptions client_options;
    transport_ = std::make_shared<CountingTransport>(transport::HttpTransport::create(options).value());
    client_options.transport = transport_;
    behind_ = rest::Client::create(proxy_->config(), client_options).value();
    version_ = put("before").resource_version();
  }
  void TearDown() override {
    if (strand_) {
      std::promise<void> done;
      strand_->post([&] {
        watcher_.reset();
        done.set_value();
      });
      done.get_future().wait();
    }
    AnyServerTest::TearDown();
  }

  client::ResourceApi behind(const meta::GroupVersionResource& resource) const {
    return {*behind_, resource, namespace_()};
  }
  void watch(const meta::GroupVersionResource& resource = kConfigMaps) {
    strand_.emplace(behind_->executor());
    strand_->post([this, resource] {
      auto started = client::RetryWatcher::start(
          behind(resource), {.resource_version = version_}, *strand_,
          make_sink({.on_open = [this] { note(opened_, 1); },
                     .on_event =
                         [this](const meta::WatchEvent& event) {
                           note(seen_,
                                std::string(meta::to_string(event.type)) + ' ' + std::string(event.object.name()));
                         },
                     .on_end = [this](const Result<meta::ListMeta>& end) { note(ends_, end.error()); }}),
          milliseconds(20));
      ASSERT_TRUE(started) << started.error();
      watcher_ = std::move(*started);
    });
  }
  template <class T>
  void note(std::vector<T>& list, T value) {
    const std::lock_guard lock(mutex_);
    list.push_back(std::move(value));
    changed_.notify_all();
  }
  template <class T>
  bool await(const std::vector<T>& list, std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(60), [&] { return list.size() >= count; });
  }
  std::vector<std::string> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  template <class T>
  std::size_t size_of(const std::vector<T>& list) {
    const std::lock_guard lock(mutex_);
    return list.size();
  }

  std::optional<FaultProxy> proxy_;
  std::shared_ptr<CountingTransport> transport_;
  std::optional<rest::Client> behind_;
  std::string version_;
  std::optional<Strand> strand_;
  std::unique_ptr<client::RetryWatcher> watcher_;  // lives on the strand
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> opened_;  // this and below: guarded by mutex_
  std::vector<std::string> seen_;
  std::vector<Error> ends_;
};
INSTANTIATE_TEST_SUITE_P(AnyServer, RetriedWatchTest, kAnyServer, server_name);

TEST_P(RetriedWatchTest, CutAtAnyByteItGoesOnWithEveryEventOnceAndInOrder) {
  watch();
  ASSERT_TRUE(await(opened_, 1));
  std::vector<std::string> wanted;
  std::size_t written = 0;
  for (const std::size_t bytes : {0, 1, 8, 9, 30, 64, 200, 500, 900}) {
    const auto name = "m" + std::to_string(written++);
    if (bytes == 0) {
      proxy_->cut();
    } else {
      proxy_->cut_after(bytes);
    }
    put(name);
    put(name, "2");
    remove(name);
    for (const auto* type : {"ADDED ", "MODIFIED ", "DELETED "}) wanted.push_back(type + name);
    ASSERT_TRUE(await(seen_, wanted.size())) << bytes;
  }

  EXPECT_EQ(seen(), wanted);
  EXPECT_GE(size_of(opened_), 2U);  // and the next may be opened right now
  EXPECT_EQ(size_of(ends_), 0U);
}

TEST_P(RetriedWatchTest, ItOutlivesAServerThatIsStoppedAndOneThatRefuses) {
  watch();
  ASSERT_TRUE(await(opened_, 1));
  {
    const auto outage = proxy_->stall();
    put("stalled");
    ASSERT_TRUE(eventually([this] { return transport_->watches() >= 2; }));
  }
  ASSERT_TRUE(await(seen_, 1));
  {
    const auto outage = proxy_->refuse();
    put("refused");
  }
  ASSERT_TRUE(await(seen_, 2));

  EXPECT_THAT(seen(), ElementsAre("ADDED stalled", "ADDED refused"));
}

TEST_P(RetriedWatchTest, AVersionTheServerForgotIsTheEnd) {
  // Of secrets, because the server of ./dev test-cluster reads their history from etcd.
  const meta::GroupVersionResource secrets{"", "v1", "secrets"};
  const auto text = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})";
  ASSERT_TRUE(api(secrets).create(meta::parse_json(text).value()));
  put("later");
  if (!compact_history()) GTEST_SKIP() << "compaction: the server's etcd is not known ($ETCD_UNDER_TEST)";

  watch(secrets);

  ASSERT_TRUE(await(ends_, 1));
  EXPECT_TRUE(ends_[0].is_expired()) << ends_[0];
  EXPECT_TRUE(seen().empty());
  static_cast<void>(api(secrets).remove("s"));
}

TEST_P(RetriedWatchTest, AThousandWatchesShareAFewConnections) {
  // As patient as usual: a server that opens a thousand watches is busy and not stopped.
  rest::ClientOptions patient;
  patient.transport = transport::HttpTransport::create(transport_options(proxy_->config())).value();
  behind_ = rest::Client::create(proxy_->config(), patient).value();
  strand_.emplace(behind_->executor());
  std::vector<std::unique_ptr<meta::Call>> watches;
  strand_->post([&] {
    for (int i = 0; i < 1000; ++i) {
      watches.push_back(behind(kConfigMaps)
                            .start_watch({.resource_version = version_}, *strand_,
                                         make_sink({.on_open = [this] { note(opened_, 1); },
                                                    .on_event =
                                                        [this](const meta::WatchEvent& event) {
                                                          note(seen_, std::string(event.object.name()));
                                                        },
                                                    .on_end =
                                                        [this](const Result<meta::ListMeta>& end) {
                                                          note(ends_, end ? Error::config("ended") : end.error());
                                                        }})));
    }
  });
  ASSERT_TRUE(await(opened_, 1000));

  put("a");

  EXPECT_TRUE(await(seen_, 1000));
  EXPECT_EQ(seen(), std::vector<std::string>(1000, "a"));
  EXPECT_EQ(size_of(ends_), 0U);
  EXPECT_LE(proxy_->accepted(), 12U);  // a hundred streams each
  std::promise<void> gone;
  strand_->post([&] {
    watches.clear();
    gone.set_value();
  });
  gone.get_future().wait();
}

TEST_P(RetriedWatchTest, UntilSeesAChangeThatComesAfterItsVersionThroughCutConnections) {
  std::vector<std::string> types;
  auto waiting = std::async(std::launch::async, [&] {
    return client::until(behind(kConfigMaps), {.resource_version = version_, .timeout = seconds(60)},
                         {[&](const meta::WatchEvent& event) -> Result<bool> {
                           types.emplace_back(meta::to_string(event.type));
                           return event.type == meta::WatchEventType::Deleted;
                         }});
  });

  ASSERT_TRUE(eventually([&] { return proxy_->accepted() > 0; }));
  proxy_->cut();
  put("before", "2");
  proxy_->cut_after(20);
  remove("before");

  const auto met = waiting.get();
  ASSERT_TRUE(met) << met.error();
  EXPECT_EQ(met->object.name(), "before");
  EXPECT_THAT(types, ElementsAre("MODIFIED", "DELETED"));
}

TEST_P(RetriedWatchTest, UntilWithoutRetryEndsWithItsConnection) {
  auto waiting = std::async(std::launch::async, [&] {
    return client::until_without_retry(behind(kConfigMaps), {.resource_version = version_, .timeout = seconds(60)},
                                       {[&](const meta::WatchEvent&) -> Result<bool> {
                                         proxy_->cut();
                                         return false;
                                       }});
  });
  ASSERT_TRUE(eventually([&] { return proxy_->accepted() > 0; }));
  put("before", "2");

  const auto met = waiting.get();
  ASSERT_FALSE(met);
  EXPECT_TRUE(met.error().is_connection_lost()) << met.error();
}

}  // namespace
}  // namespace kubexx::contract
