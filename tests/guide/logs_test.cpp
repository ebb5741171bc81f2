#include <gmock/gmock.h>

#include <mutex>
#include <string>
#include <vector>

#include "guide/guide_server.hpp"
#include "kubexx/logs/log_streams.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using LogsTest = GuideTest;

TEST_F(LogsTest, LinesOfThePodsThatMatchAreKept) {
  ASSERT_TRUE(server.seed(meta::object_from_json(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"shop","labels":{"app":"web"}},)"
      R"("spec":{"nodeName":"worker-1","containers":[{"name":"main","image":"i"}]}})")));
  ASSERT_TRUE(server.core().append_log({"shop", "web-1", "main"}, "open for business"));
  std::stop_source stopping;
  const auto stop = stopping.get_token();
  std::mutex mutex;
  std::vector<std::string> kept;
  const auto keep = [&](const std::string& pod, const std::string& container, WallTime, std::string_view text) {
    const std::lock_guard lock(mutex);
    kept.push_back(pod + " " + container + " " + std::string(text));
  };

  // [begin logs]
  logs::LogStreamsOptions options;
  options.scope.namespaces = {"shop"};
  options.scope.label_selector = meta::LabelSelector::equals("app", "web");
  options.on_line = [&](const logs::LogLine& line) {
    keep(line.origin.pod, line.origin.container, line.time, line.text);
  };
  auto streams = logs::LogStreams::create(client, std::move(options));
  if (!streams) return complain(streams.error());
  (*streams)->start(stop);
  // [end logs]

  EXPECT_TRUE(testkit::eventually([&] {
    const std::lock_guard lock(mutex);
    return !kept.empty();
  }));
  (*streams)->stop();
  EXPECT_THAT(kept, ::testing::ElementsAre("web-1 main open for business"));
}

}  // namespace
}  // namespace kubexx::guide
