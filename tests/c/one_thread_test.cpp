// A program with one thread: the server is another process.
#include <set>
#include <thread>

#include "c/c_server.hpp"
#include "kubexx/base/loop_executor.hpp"
#include "kubexx/rest/client.hpp"
#include "own_loop/server_process.hpp"

namespace kubexx::c_test {
namespace {

struct OneThread {
  std::set<std::thread::id> on{};
  std::size_t most_threads = 0;
  int events = 0;
  int terms = 0;
  std::string leader{};
  std::string line{};
  void here() {
    on.insert(std::this_thread::get_id());
    most_threads = std::max(most_threads, own_loop::threads());
  }
};

class COneThreadTest : public ::testing::TestWithParam<bool> {
 protected:
  COneThreadTest() : server_(GetParam()) {
    const Options options;
    kubexx_options_set(options.get(), KUBEXX_OPTION_KUBECONFIG, server_.kubeconfig().c_str(), nullptr);
    kubexx_options_set_number(options.get(), KUBEXX_OPTION_ALLOW_INSECURE_CREDENTIALS, 1, nullptr);
    kubexx_config* config = nullptr;
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_config_load(options, &config, &error), error));
    EXPECT_TRUE(ok(kubexx_loop_new(&loop_, &error), error));
    EXPECT_TRUE(ok(kubexx_client_new(config, nullptr, loop_, &client_, &error), error));
    kubexx_config_free(config);
  }
  template <class Done>
  bool poll_until(Done done) {
    const TimePoint ceiling = Clock::system().now() + std::chrono::seconds(30);
    while (!done()) {
      if (Clock::system().now() > ceiling) return false;
      pollfd waiting{kubexx_loop_fd(loop_), POLLIN, 0};
      std::size_t ran = 0;
      if (::poll(&waiting, 1, 1000) == 1) {
        EXPECT_TRUE(ok(kubexx_loop_run_ready(loop_, &ran, nullptr)));
      }
      seen_.here();
    }
    return true;
  }
  void create(const char* resource, const std::string& body) {  // blocks, and drives the loop
    kubexx_error* error = nullptr;
    ASSERT_TRUE(ok(
        kubexx_client_create(client_, resource, "default", body.data(), body.size(), nullptr, nullptr, nullptr, &error),
        error));
  }
  /// What a node does. The interface has no such call, so that this is the C++ library, on this thread too.
  void write_log(const std::string& pod, const std::string& line) {
    const auto loop = std::make_shared<LoopExecutor>();
    {
      const auto node = rest::Client::create(server_.config(), {.executor = loop}).value();
      rest::Request request;
      request.method = "POST";
      request.absolute_path = "/kubexx/faults";
      request.body = R"({"action":"appendLog","namespace":"default","pod":")" + pod +
                     R"(","container":"main","text":")" + line + "\"}";
      ASSERT_TRUE(node.send(request));
    }
    loop->shut_down();
  }

  own_loop::ServerProcess server_;
  kubexx_loop* loop_ = nullptr;
  kubexx_client* client_ = nullptr;
  OneThread seen_;
};
INSTANTIATE_TEST_SUITE_P(Servers, COneThreadTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "Https" : "Http"; });

TEST_P(COneThreadTest, ALoopDrivesEverythingWithoutAThreadOfOurs) {
  kubexx_error* error = nullptr;
  kubexx_informer* informer = nullptr;
  kubexx_registration* registration = nullptr;
  kubexx_elector* elector = nullptr;
  kubexx_observer* observer = nullptr;
  kubexx_logs* logs = nullptr;
  Options lease;
  lease.set(KUBEXX_OPTION_NAME, "shop").set(KUBEXX_OPTION_IDENTITY, "me");
  Options name;
  name.set(KUBEXX_OPTION_NAME, "shop");
  const auto on_event = [](const kubexx_event*, void* data) {
    static_cast<OneThread*>(data)->here();
    ++static_cast<OneThread*>(data)->events;
  };
  const auto on_election = [](const kubexx_election_event* event, void* data) {
    static_cast<OneThread*>(data)->here();
    if (kubexx_election_event_get_type(event) == KUBEXX_STARTED_LEADING) ++static_cast<OneThread*>(data)->terms;
  };
  const auto on_leader = [](const kubexx_leader* leader, void* data) {
    static_cast<OneThread*>(data)->here();
    static_cast<OneThread*>(data)->leader = text(kubexx_leader_holder(leader));
  };
  const auto on_line = [](const kubexx_log_line* line, void* data) {
    static_cast<OneThread*>(data)->here();
    static_cast<OneThread*>(data)->line = text(kubexx_log_line_text(line));
  };
  ASSERT_TRUE(ok(kubexx_informer_new(client_, "v1/configmaps", nullptr, &informer, &error), error));
  ASSERT_TRUE(
      ok(kubexx_informer_add_handler(informer, nullptr, on_event, &seen_, nullptr, &registration, &error), error));
  ASSERT_TRUE(ok(kubexx_informer_start(informer, &error), error));
  ASSERT_TRUE(ok(kubexx_elector_new(client_, lease, on_election, &seen_, nullptr, &elector, &error), error));
  ASSERT_TRUE(ok(kubexx_elector_start(elector, &error), error));
  ASSERT_TRUE(ok(kubexx_observer_new(client_, name, on_leader, &seen_, nullptr, &observer, &error), error));
  ASSERT_TRUE(ok(kubexx_observer_start(observer, &error), error));
  ASSERT_TRUE(ok(kubexx_logs_new(client_, nullptr, on_line, nullptr, &seen_, nullptr, &logs, &error), error));
  ASSERT_TRUE(ok(kubexx_logs_start(logs, &error), error));
  create("v1/configmaps", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  create("v1/pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},)"
                    R"("spec":{"nodeName":"n","containers":[{"name":"main","image":"i"}]}})");
  write_log("web", "one");

  EXPECT_TRUE(poll_until([&] {
    return seen_.events == 1 && seen_.terms == 1 && seen_.leader == "me" && seen_.line == "one";
  })) << seen_.events
      << seen_.terms << seen_.leader << seen_.line;

  kubexx_loop_free(loop_);  // first of all: what is freed behind it drives it
  kubexx_logs_free(logs);
  kubexx_elector_free(elector);
  kubexx_client_free(client_);
  kubexx_informer_free(informer);
  kubexx_observer_free(observer);
  kubexx_registration_free(registration);
  EXPECT_EQ(seen_.on, std::set{std::this_thread::get_id()});
  EXPECT_EQ(seen_.most_threads, 1u);
}

}  // namespace
}  // namespace kubexx::c_test
