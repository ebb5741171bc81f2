#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "c/c_server.hpp"
#include "log_streams/log_lines_seen.hpp"

namespace kubexx::c_test {
namespace {

/// What arrived, by "namespace/pod/container".
struct Seen {
  std::mutex mutex{};
  std::map<std::string, std::vector<std::string>> lines{};  // guarded by mutex
  std::string partial{};                                    // guarded by mutex
  int pieces = 0;                                           // guarded by mutex; of lines that were too long
  std::vector<std::string> problems{};                      // guarded by mutex
  std::atomic<int> released{0};
  kubexx_logs* logs = nullptr;  // freed with the first line, where it is set

  static std::string origin(const kubexx_log_line* line) {
    return text(kubexx_log_line_namespace(line)) + "/" + text(kubexx_log_line_pod(line)) + "/" +
           text(kubexx_log_line_container(line));
  }
  static void told(const kubexx_log_line* line, void* to) {
    auto& self = *static_cast<Seen*>(to);
    EXPECT_NE(text(kubexx_log_line_uid(line)), "");
    EXPECT_GT(kubexx_log_line_time_ns(line), 0);
    EXPECT_EQ(kubexx_log_line_restarts(line), 0);
    EXPECT_EQ(kubexx_log_line_after_gap(line), 0);
    {
      const std::lock_guard lock(self.mutex);
      self.partial += text(kubexx_log_line_text(line));
      if (kubexx_log_line_continues(line)) {
        ++self.pieces;
      } else {
        self.lines[origin(line)].push_back(std::exchange(self.partial, {}));
      }
    }
    if (self.logs) kubexx_logs_free(std::exchange(self.logs, nullptr));
  }
  static void failed(const kubexx_log_line* where, const kubexx_error* error, void* to) {
    auto& self = *static_cast<Seen*>(to);
    EXPECT_EQ(text(kubexx_log_line_text(where)), "");
    const std::lock_guard lock(self.mutex);
    self.problems.push_back(origin(where) + ": " + kubexx_error_message(error));
  }
  static void release(void* to) { ++static_cast<Seen*>(to)->released; }
  std::vector<std::string> of(const std::string& container) {
    const std::lock_guard lock(mutex);
    return lines[container];
  }
};

class CLogsTest : public CTest, public ::testing::WithParamInterface<bool> {
 protected:
  using Lines = std::vector<std::string>;

  CLogsTest() {
    if (GetParam()) loop_ = make_loop();
    client_ = make_client(loop_);
    EXPECT_TRUE(server_.seed(log_streams::log_pod("default/a", {"web", "proxy"})));
    EXPECT_TRUE(server_.seed(log_streams::log_pod("default/b", {"web"}, "other")));
  }
  ~CLogsTest() override {
    kubexx_client_free(client_);
    kubexx_loop_free(loop_);
  }
  kubexx_logs* start(const kubexx_options* options) {
    kubexx_error* error = nullptr;
    kubexx_logs* logs = nullptr;
    EXPECT_TRUE(
        ok(kubexx_logs_new(client_, options, Seen::told, Seen::failed, &seen_, Seen::release, &logs, &error), error));
    EXPECT_TRUE(ok(kubexx_logs_start(logs, &error), error));
    return logs;
  }
  void write(const std::string& pod, const std::string& container, const std::string& text) {
    ASSERT_TRUE(server_.core().append_log({"default", pod, container}, text));
  }
  bool eventually(const std::function<bool()>& done) {
    return GetParam() ? poll_until(loop_, done) : testkit::eventually(done);
  }

  kubexx_loop* loop_ = nullptr;
  kubexx_client* client_ = nullptr;
  Seen seen_;
};
INSTANTIATE_TEST_SUITE_P(Clients, CLogsTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "OnALoop" : "WithThreads"; });

TEST_P(CLogsTest, LinesOfThePodsAndContainersThatMatchArriveWithTheirOrigin) {
  Options options;
  options.set(KUBEXX_OPTION_NAMESPACE, "default").set(KUBEXX_OPTION_LABEL_SELECTOR, "app=web");
  options.set(KUBEXX_OPTION_CONTAINER, "web").set(KUBEXX_OPTION_MAX_LINE_BYTES, 1024);
  options.set(KUBEXX_OPTION_MAX_STREAMS, 10).set(KUBEXX_OPTION_SINCE_MS, 3'600'000);
  write("a", "web", "one");
  write("a", "proxy", "not of this container");
  write("b", "web", "not of this pod");
  kubexx_logs* const logs = start(options);
  EXPECT_TRUE(eventually([&] { return seen_.of("default/a/web") == Lines{"one"}; }));

  write("a", "web", std::string(1500, 'x'));

  EXPECT_TRUE(eventually([&] { return seen_.of("default/a/web") == Lines{"one", std::string(1500, 'x')}; }));
  EXPECT_GT(seen_.pieces, 0);
  EXPECT_EQ(seen_.lines.size(), 1u);
  EXPECT_EQ(kubexx_logs_has_synced(logs), 1);
  EXPECT_EQ(kubexx_logs_open(logs), 1);
  EXPECT_EQ(kubexx_logs_gaps(logs), 0);
  kubexx_logs_stop(logs);
  kubexx_logs_free(logs);
  EXPECT_TRUE(eventually([&] { return seen_.released == 1; }));
}

TEST_P(CLogsTest, AProblemIsToldWithItsPlace) {
  const auto refused = server_.core().add_fault({.resource = "pods", .times = 1, .status = 500, .subresource = "log"});
  Options options;
  options.set(KUBEXX_OPTION_LABEL_SELECTOR, "app=other").set(KUBEXX_OPTION_TAIL_LINES, 1);
  write("b", "web", "before");
  write("b", "web", "last");
  kubexx_logs* const logs = start(options);

  EXPECT_TRUE(eventually([&] { return seen_.of("default/b/web") == Lines{"last"}; }));
  EXPECT_EQ(seen_.problems.size(), 1u);
  EXPECT_EQ(seen_.problems.at(0).rfind("default/b/web: ", 0), 0u) << seen_.problems.at(0);
  EXPECT_EQ(kubexx_logs_start(logs, nullptr), KUBEXX_MISUSE);
  kubexx_logs_free(logs);
  EXPECT_TRUE(eventually([&] { return seen_.released == 1; }));
}

TEST_P(CLogsTest, LogsAreFreedInsideTheirOwnCallback) {
  write("b", "web", "one");
  Options options;
  options.set(KUBEXX_OPTION_LABEL_SELECTOR, "app=other");
  kubexx_error* error = nullptr;
  ASSERT_TRUE(
      ok(kubexx_logs_new(client_, options, Seen::told, nullptr, &seen_, Seen::release, &seen_.logs, &error), error));
  ASSERT_TRUE(ok(kubexx_logs_start(seen_.logs, &error), error));

  EXPECT_TRUE(eventually([&] { return seen_.released == 1; }));
  EXPECT_EQ(seen_.of("default/b/web"), Lines{"one"});
}

TEST_P(CLogsTest, WhatCannotWorkIsRefusedAndNothingIsTaken) {
  kubexx_logs* logs = nullptr;
  kubexx_error* error = nullptr;
  Options broken;
  broken.set(KUBEXX_OPTION_LABEL_SELECTOR, "app in (");
  const auto why =
      failed(kubexx_logs_new(client_, broken, Seen::told, nullptr, &seen_, Seen::release, &logs, &error), error);
  EXPECT_EQ(why.status, KUBEXX_INVALID_ARGUMENT);
  Options none;
  none.set(KUBEXX_OPTION_MAX_STREAMS, 0);
  EXPECT_EQ(kubexx_logs_new(client_, none, Seen::told, nullptr, &seen_, Seen::release, &logs, nullptr),
            KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_logs_new(client_, nullptr, nullptr, nullptr, &seen_, Seen::release, &logs, nullptr),
            KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(logs, nullptr);
  EXPECT_EQ(seen_.released, 0);
}

}  // namespace
}  // namespace kubexx::c_test
