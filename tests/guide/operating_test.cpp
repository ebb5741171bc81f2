#include <gmock/gmock.h>

#include <mutex>

#include "guide/guide_server.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using ::testing::HasSubstr;

using OperatingTest = GuideTest;

TEST_F(OperatingTest, WhatEndsARoundIsTold) {
  std::mutex mutex;
  std::string told;
  const auto page_somebody = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    told += text;
  };
  const auto failing = server.core().add_fault({.resource = "pods", .times = 3, .status = 503, .message = "busy"});

  // [begin errors]
  informer::FactoryOptions options;
  options.defaults.watch_error_handler = [&](const reflector::WatchError& failed) {
    if (failed.attempt < 3) return;  // it is tried again by itself
    page_somebody(failed.name + ": " + failed.error.message());
  };
  // [end errors]
  options.defaults.backoff = Backoff::none();
  options.defaults.watch_list = false;
  informer::SharedInformerFactory factory(client, options);
  const auto pods = factory.core().v1().pods();
  factory.start();

  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(told, HasSubstr("pods: "));
  EXPECT_THAT(told, HasSubstr("busy"));
}

}  // namespace
}  // namespace kubexx::guide
