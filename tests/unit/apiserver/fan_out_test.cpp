#include <algorithm>

#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

/// Counts frames instead of keeping them.
class CountingWriter final : public ResponseWriter {
 public:
  void respond(int, HeaderFields, std::string) override {}
  void start(int, HeaderFields) override {}
  void write(std::string bytes) override {
    frames += static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  }
  void finish() override {}
  void abort() override { aborted = true; }
  std::size_t backlog() const override { return 0; }
  void on_close(std::function<void()>) override {}
  std::size_t frames = 0;
  bool aborted = false;
};

class FanOutTest : public CoreFixture {
 protected:
  std::shared_ptr<CountingWriter> watch(const std::string& path) {
    Request request;
    request.target = path + "?watch=1";
    request.headers = {{"authorization", "Bearer " + core->admin_token()}};
    auto writer = std::make_shared<CountingWriter>();
    core->handle(std::move(request), writer);
    return writer;
  }
};

TEST_F(FanOutTest, EveryUpdateReachesItsTenOfTwoHundredWatchersOnce) {
  constexpr int kNamespaces = 20;
  constexpr int kUpdates = 1000;
  const std::string filler(5500, 'x');
  std::vector<std::shared_ptr<CountingWriter>> watchers;
  for (int i = 0; i < kNamespaces; ++i) {
    const std::string space = "n" + std::to_string(i);
    send("POST", "/api/v1/namespaces", R"({"metadata":{"name":")" + space + "\"}}");
    send("POST", "/api/v1/namespaces/" + space + "/configmaps", R"({"metadata":{"name":"a"},"data":{"v":"0"}})");
    for (int k = 0; k < 10; ++k) watchers.push_back(watch("/api/v1/namespaces/" + space + "/configmaps"));
  }

  for (int i = 0; i < kUpdates; ++i) {
    const auto answer =
        send("PUT", "/api/v1/namespaces/n" + std::to_string(i % kNamespaces) + "/configmaps/a",
             R"({"metadata":{"name":"a"},"data":{"v":")" + std::to_string(i + 1) + R"(","filler":")" + filler + "\"}}");
    ASSERT_EQ(answer->status, 200);
  }

  for (const auto& watcher : watchers) {
    EXPECT_FALSE(watcher->aborted);
    EXPECT_EQ(watcher->frames, 1u + kUpdates / kNamespaces);
  }
}

TEST_F(FanOutTest, HistoryStaysWithinItsLimits) {
  Options options;
  options.history_events = 50;
  open(options);
  const std::uint64_t start = put_config_map("a", "0");
  for (int i = 1; i <= 100; ++i) put_config_map("a", std::to_string(i));

  const auto old = get(kConfigMaps + "?watch=1&resourceVersion=" + std::to_string(start));
  const auto recent = get(kConfigMaps + "?watch=1&resourceVersion=" + std::to_string(core->version() - 10));

  EXPECT_EQ(old->events().front()["type"].string(), "ERROR");
  EXPECT_EQ(recent->events().size(), 10u);
}

TEST_F(FanOutTest, AThousandWatchesAreServed) {
  std::vector<std::shared_ptr<CountingWriter>> watchers;
  for (int i = 0; i < 1000; ++i) watchers.push_back(watch(kConfigMaps));

  put_config_map("a", "1");

  EXPECT_EQ(core->watchers(), 1000u);
  for (const auto& watcher : watchers) EXPECT_EQ(watcher->frames, 1u);
}

}  // namespace
}  // namespace kubexx::apiserver
