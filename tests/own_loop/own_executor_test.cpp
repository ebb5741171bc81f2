#include <gtest/gtest.h>
#include <poll.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/transport/http_transport.hpp"
#include "own_loop/server_process.hpp"

namespace kubexx::own_loop {
namespace {

using namespace std::chrono_literals;

const meta::GroupVersionResource kSecrets{"", "v1", "secrets"};

/// A program's own executor: a queue that its loop looks at. It cannot be driven from inside a task.
class Queue final : public Executor {
 public:
  void post(Task task) override { ready_.push_back(std::move(task)); }
  Timer post_after(Duration delay, Task task) override {
    auto [timer, run] = Timer::wrap(std::move(task));
    timers_.push_back({clock().now() + delay, std::move(run)});
    return timer;
  }
  const Clock& clock() const override { return Clock::system(); }
  bool runs_only_here() const noexcept override { return true; }

  void run() {
    for (std::size_t i = timers_.size(); i > 0; --i) {
      if (timers_[i - 1].first > clock().now()) continue;
      ready_.push_back(std::move(timers_[i - 1].second));
      timers_.erase(timers_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    for (std::size_t left = ready_.size(); left > 0; --left) {
      Task task = std::move(ready_.front());
      ready_.pop_front();
      task();
    }
  }
  void clear() {
    while (!ready_.empty() || !timers_.empty()) {
      const auto ready = std::exchange(ready_, {});
      const auto timers = std::exchange(timers_, {});
    }
  }

 private:
  std::deque<Task> ready_;
  std::vector<std::pair<TimePoint, Task>> timers_;
};

class OwnExecutorTest : public ::testing::Test {
 protected:
  OwnExecutorTest() {
    transport::TransportOptions wire;
    wire.threadless = true;
    transport_ = transport::HttpTransport::create(wire).value();
    client_ = rest::Client::create(server_.config(), {.transport = transport_, .executor = queue_, .handlers = queue_})
                  .value();
  }
  ~OwnExecutorTest() override {
    client_.reset();
    queue_->clear();
    EXPECT_EQ(threads(), threads_);
  }
  template <class Done>
  bool poll_until(Done done) {
    for (const TimePoint ceiling = Clock::system().now() + 30s; !done();) {
      if (Clock::system().now() > ceiling) return false;
      pollfd waiting{transport_->fd(), POLLIN, 0};
      if (::poll(&waiting, 1, 5) == 1) transport_->on_ready();
      queue_->run();
    }
    return true;
  }

  const std::size_t threads_ = threads();
  const ServerProcess server_{false};
  const std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
  std::shared_ptr<transport::HttpTransport> transport_;
  std::optional<rest::Client> client_;
};

TEST_F(OwnExecutorTest, WithATransportWithoutThreadAProgramsExecutorNeedsNoOther) {
  informer::SharedInformerFactory factory(*client_);
  const auto informer = factory.for_resource({"", "v1", "namespaces"}).value().informer();
  std::stop_source stop;
  factory.start(stop.get_token());

  ASSERT_TRUE(poll_until([&] { return informer.has_synced(); }));

  EXPECT_GT(informer.lister().list().size(), 0U);
  bool ended = false;
  informer->on_end([&] { ended = true; });
  stop.request_stop();
  EXPECT_TRUE(poll_until([&] { return ended; }));
  EXPECT_EQ(threads(), threads_);
}

TEST_F(OwnExecutorTest, ABlockingCallOnItsThreadIsAnErrorAtOnceAndSendsNothing) {
  const auto secrets = client::DynamicClient(*client_).resource(kSecrets).namespaced("default");

  const auto got = secrets.get("one");
  const auto listed = secrets.list();

  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message().find("wait for ever"), std::string::npos) << got.error();
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message().find("wait for ever"), std::string::npos) << listed.error();
  EXPECT_FALSE(transport_->deadline());  // nothing was begun
}

TEST_F(OwnExecutorTest, WaitingForACacheIsAnErrorAtOnceAndItsEndIsNotWaitedFor) {
  std::string reported;
  set_error_sink([&](const Error& error, std::string_view where) { reported = std::string(where) + error.message(); });
  {
    informer::SharedInformerFactory factory(*client_);
    const auto informer = factory.for_resource(kSecrets).value().informer();
    const auto registration = informer.add_event_handler({.on_add = [](const meta::Object&) {}});
    factory.start();

    const auto sync = factory.wait_for_cache_sync({});

    ASSERT_FALSE(sync);
    EXPECT_NE(sync.as_error()->message().find("wait for ever"), std::string::npos);
    EXPECT_FALSE(informer.wait_until("1"));
    EXPECT_THROW(informer->join(), Exception);
    EXPECT_THROW(registration.wait_until_synced(), Exception);
  }
  EXPECT_NE(reported.find("informer factory"), std::string::npos) << reported;
  set_error_sink({});
}

}  // namespace
}  // namespace kubexx::own_loop
