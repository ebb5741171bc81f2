#include <algorithm>
#include <set>

#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

/// Counts frames instead of keeping them.
class CountingWriter final : public ResponseWriter {
 public:
  void respond(int, HeaderFields, std::string) override {}
  void start(int, HeaderFields) override {}
  void write(SharedBytes bytes) override {
    frames += static_cast<std::size_t>(std::count(bytes->begin(), bytes->end(), '\n'));
  }
  void finish() override {}
  void abort() override { aborted = true; }
  std::size_t backlog() const override { return 0; }
  void on_close(std::function<void()>) override {}
  std::size_t frames = 0;
  bool aborted = false;
};

/// A peer that does not read, until it is told to.
class DeafWriter final : public ResponseWriter {
 public:
  void respond(int, HeaderFields, std::string) override {}
  void start(int, HeaderFields) override {}
  void write(SharedBytes bytes) override {
    if (reads || aborted) return;
    unread += bytes->size();
    waiting.push_back(std::move(bytes));
  }
  void finish() override {}
  void abort() override {
    aborted = true;
    waiting.clear();
    unread = 0;
  }
  std::size_t backlog() const override { return unread; }
  void on_close(std::function<void()>) override {}
  std::vector<SharedBytes> waiting;
  std::size_t unread = 0;
  bool reads = false;
  bool aborted = false;
};

/// What they hold, each piece of memory once.
std::size_t memory_of(const std::vector<std::shared_ptr<DeafWriter>>& writers) {
  std::set<const std::string*> seen;
  std::size_t size = 0;
  for (const auto& writer : writers) {
    for (const SharedBytes& bytes : writer->waiting) size += seen.insert(bytes.get()).second ? bytes->capacity() : 0;
  }
  return size;
}

class FanOutTest : public CoreFixture {
 protected:
  template <class Writer = CountingWriter>
  std::shared_ptr<Writer> watch(const std::string& path, const std::string& accept = {}) {
    Request request;
    request.target = path + "?watch=1";
    request.headers = {{"authorization", "Bearer " + core->admin_token()}, {"accept", accept}};
    auto writer = std::make_shared<Writer>();
    core->handle(std::move(request), writer);
    return writer;
  }
};

TEST_F(FanOutTest, WatchersThatAskedForTheSameFormShareItsBytes) {
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const std::string metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  for (const std::string& accept : {std::string(), std::string("application/yaml"),
                                    std::string("application/vnd.kubernetes.protobuf"), table, metadata}) {
    open({});
    put_config_map("before", "1");
    std::vector<std::shared_ptr<DeafWriter>> writers;
    for (int i = 0; i < 50; ++i) writers.push_back(watch<DeafWriter>(kConfigMaps, accept));
    put_config_map("after", "1");
    put_config_map("after", "2");

    ASSERT_EQ(writers.front()->waiting.size(), 3u);
    for (const auto& writer : writers) EXPECT_EQ(writer->waiting, writers.front()->waiting) << accept;
  }
}

TEST_F(FanOutTest, WatchersOfDifferentFormsGetTheirOwn) {
  const auto first = watch<DeafWriter>(kConfigMaps, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  const auto second =
      watch<DeafWriter>(kConfigMaps, "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io");
  put_config_map("a", "1");

  EXPECT_NE(first->waiting.at(0)->find("meta.k8s.io/v1\""), std::string::npos);
  EXPECT_NE(second->waiting.at(0)->find("meta.k8s.io/v1beta1\""), std::string::npos);
}

TEST_F(FanOutTest, TwoThousandWatchersThatDoNotReadAreBoundedTogether) {
  Options options;
  options.unread_bytes = 800'000;
  options.watch_backlog = 200'000;
  open(options);
  const char* forms[] = {"application/json", "application/vnd.kubernetes.protobuf"};
  const std::string filler(10'000, 'x');
  // One may have asked for the whole state, and an event comes in all forms before anything is cut.
  const std::size_t bound = options.unread_bytes + options.watch_backlog + 100'000;
  std::vector<std::shared_ptr<DeafWriter>> writers;
  for (int i = 0; i < 2000; ++i) {
    writers.push_back(watch<DeafWriter>(kConfigMaps, forms[i % 2]));
    if (i % 40 != 0) continue;
    put_config_map("a" + std::to_string(i), filler);
    ASSERT_LE(memory_of(writers), bound);
  }
  for (int i = 0; i < 50; ++i) {
    put_config_map("b", filler + std::to_string(i));
    ASSERT_LE(memory_of(writers), bound);
  }

  const auto living = std::count_if(writers.begin(), writers.end(), [](const auto& w) { return !w->aborted; });
  EXPECT_LT(living, 2000);
  EXPECT_EQ(core->watchers(), static_cast<std::size_t>(living));
}

TEST_F(FanOutTest, TheSlowestWatcherIsCutFirst) {
  Options options;
  options.unread_bytes = 1'000'000;
  open(options);
  const std::string filler(100'000, 'x');
  const auto slowest = watch<DeafWriter>(kConfigMaps);
  for (int i = 0; i < 6; ++i) put_config_map("a", filler + std::to_string(i));
  const auto slow = watch<DeafWriter>(kConfigMaps);
  const auto fast = watch<DeafWriter>(kConfigMaps);
  fast->reads = true;
  fast->waiting.clear();
  fast->unread = 0;
  for (int i = 0; i < 4; ++i) put_config_map("b", filler + std::to_string(i));

  EXPECT_TRUE(slowest->aborted);
  EXPECT_FALSE(slow->aborted);
  EXPECT_FALSE(fast->aborted);
}

TEST_F(FanOutTest, AStateThatWasAskedForIsNotHeldAgainstItsReader) {
  Options options;
  options.watch_backlog = 100'000;
  open(options);
  for (int i = 0; i < 10; ++i) put_config_map("a" + std::to_string(i), std::string(50'000, 'x'));

  const auto reader = watch<DeafWriter>(kConfigMaps);
  put_config_map("b", "1");
  EXPECT_FALSE(reader->aborted);
  for (int i = 0; i < 3; ++i) put_config_map("c", std::string(50'000, 'x') + std::to_string(i));
  EXPECT_TRUE(reader->aborted);
}

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
