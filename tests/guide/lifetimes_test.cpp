#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "guide/guide_server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using LifetimesTest = GuideTest;

TEST_F(LifetimesTest, AHandleKeepsItsDocumentAndAViewBorrowsFromTheHandle) {
  seed_pod("web-1", "worker-1", "web");
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  // [begin borrowed]
  const Pod pod = pods.lister().get("default/web-1").value();  // a handle: the document lives as long as it
  const auto spec = pod.spec();                                // borrowed from `pod`
  const std::string_view node = spec.node_name();              // borrowed from `pod` too
  const std::string kept(pod.spec().node_name());              // a copy, for what outlives `pod`
  // [end borrowed]

  ASSERT_TRUE(server.remove<Pod>(meta::ObjectKey::parse("default/web-1")));
  ASSERT_TRUE(testkit::eventually([&] { return pods.lister().list().empty(); }));
  EXPECT_EQ(node, "worker-1") << "the cache has it no more, the handle has";
  EXPECT_EQ(kept, "worker-1");
}

// [begin owner]
class Journal {
 public:
  explicit Journal(const informer::Informer<Pod>& pods) {
    registration_ = pods.add_event_handler({.on_add = [this](const Pod& pod) { note(pod.key()); }});
  }
  int size() const { return size_; }

 private:
  void note(const std::string&) { ++size_; }

  std::atomic<int> size_ = 0;
  informer::Registration registration_;  // last: it goes first, and no call comes after that
};
// [end owner]

TEST_F(LifetimesTest, AHandlerEndsWithItsOwner) {
  seed_pod("web-1", "worker-1", "web");
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();
  {
    const Journal journal(pods);
    factory.start();
    ASSERT_TRUE(testkit::eventually([&] { return journal.size() == 1; }));
  }
  EXPECT_TRUE(pods.status().handlers.empty());
}

}  // namespace
}  // namespace kubexx::guide
