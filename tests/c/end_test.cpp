// Handles end in any order, inside callbacks too; whatever the order, nothing is left and every pointer is released
// once.
#include <algorithm>
#include <functional>
#include <vector>

#include "c/c_server.hpp"

namespace kubexx::c_test {
namespace {

/// Whether a client has threads or a loop.
class CEndTest : public CTest, public ::testing::WithParamInterface<bool> {
 public:  // callbacks get it as their user_data
  CEndTest() {
    seed("default/a", "1");
    if (GetParam()) loop_ = make_loop();
    client_ = make_client(loop_);
    informer_ = make_informer(client_);
  }
  void add_handler(kubexx_on_event on_event, void* data, kubexx_registration** to, kubexx_release release) {
    kubexx_error* error = nullptr;
    ASSERT_TRUE(ok(kubexx_informer_add_handler(informer_, nullptr, on_event, data, release, to, &error), error));
  }
  bool eventually(const std::function<bool()>& done) {
    return GetParam() ? poll_until(loop_, done) : testkit::eventually(done);
  }
  void free_all() {
    kubexx_registration_free(std::exchange(registration_, nullptr));
    kubexx_informer_free(std::exchange(informer_, nullptr));
    kubexx_client_free(std::exchange(client_, nullptr));
    kubexx_loop_free(std::exchange(loop_, nullptr));
  }

  kubexx_loop* loop_ = nullptr;
  kubexx_client* client_ = nullptr;
  kubexx_informer* informer_ = nullptr;
  kubexx_registration* registration_ = nullptr;
  std::atomic<int> released_{0};
  std::atomic<int> calls_{0};
};
INSTANTIATE_TEST_SUITE_P(Clients, CEndTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "OnALoop" : "WithThreads"; });

TEST_P(CEndTest, HandlesAreFreedInAnyOrder) {
  free_all();
  std::vector<int> order{0, 1, 2, 3};
  do {
    loop_ = GetParam() ? make_loop() : nullptr;
    client_ = make_client(loop_);
    informer_ = make_informer(client_);
    released_ = 0;
    add_handler([](const kubexx_event*, void*) {}, &released_, &registration_, count_release);
    start_and_sync(informer_);
    for (const int which : order) {
      if (which == 0) kubexx_registration_free(std::exchange(registration_, nullptr));
      if (which == 1) kubexx_informer_free(std::exchange(informer_, nullptr));
      if (which == 2) kubexx_client_free(std::exchange(client_, nullptr));
      if (which == 3) kubexx_loop_free(std::exchange(loop_, nullptr));
    }
    EXPECT_TRUE(testkit::eventually([&] { return released_ == 1; }));
  } while (std::ranges::next_permutation(order).found);
}

TEST_P(CEndTest, ARegistrationIsFreedInsideItsOwnHandler) {
  const auto on_event = [](const kubexx_event*, void* data) {
    auto& self = *static_cast<CEndTest*>(data);
    ++self.calls_;
    kubexx_registration_free(std::exchange(self.registration_, nullptr));
  };
  seed("default/b", "1");
  add_handler(on_event, this, &registration_, [](void* data) { ++static_cast<CEndTest*>(data)->released_; });
  start_and_sync(informer_);

  EXPECT_TRUE(eventually([&] { return released_ == 1; }));
  EXPECT_EQ(calls_, 1);
  free_all();
}

TEST_P(CEndTest, EverythingIsFreedInsideAHandler) {
  const auto on_event = [](const kubexx_event*, void* data) {
    auto& self = *static_cast<CEndTest*>(data);
    if (self.calls_++ > 0) return;
    self.free_all();
  };
  add_handler(on_event, this, &registration_, [](void* data) { ++static_cast<CEndTest*>(data)->released_; });
  kubexx_error* error = nullptr;
  auto* const loop = loop_;
  ASSERT_TRUE(ok(kubexx_informer_start(informer_, &error), error));

  // The loop's own handle is freed in there too: the last turn is the one that does it.
  if (GetParam()) {
    while (calls_ == 0) {
      pollfd waiting{kubexx_loop_fd(loop), POLLIN, 0};
      ASSERT_EQ(::poll(&waiting, 1, 30'000), 1);
      ASSERT_TRUE(ok(kubexx_loop_run_ready(loop, nullptr, &error), error));
    }
  }

  EXPECT_TRUE(testkit::eventually([&] { return released_ == 1; }));
  EXPECT_EQ(calls_, 1);
}

TEST_P(CEndTest, AnAnswerMayFreeTheClientThatGaveIt) {
  const auto on_answer = [](const char*, std::size_t, const kubexx_error* error, void* data) {
    auto& self = *static_cast<CEndTest*>(data);
    EXPECT_EQ(error, nullptr) << kubexx_error_message(error);
    ++self.calls_;
    kubexx_informer_free(std::exchange(self.informer_, nullptr));
    kubexx_client_free(std::exchange(self.client_, nullptr));
  };
  kubexx_error* error = nullptr;
  ASSERT_TRUE(ok(kubexx_client_get_async(
                     client_, "v1/configmaps", "default", "a", nullptr, on_answer, this,
                     [](void* data) { ++static_cast<CEndTest*>(data)->released_; }, &error),
                 error));

  EXPECT_TRUE(eventually([&] { return released_ == 1; }));
  EXPECT_EQ(calls_, 1);
  free_all();
}

TEST_P(CEndTest, AHandlerCannotWaitForItself) {
  const auto on_event = [](const kubexx_event*, void* data) {
    auto& self = *static_cast<CEndTest*>(data);
    kubexx_informer_stop(self.informer_);
    if (kubexx_informer_join(self.informer_, nullptr) == KUBEXX_MISUSE) ++self.calls_;
  };
  add_handler(on_event, this, &registration_, nullptr);
  ASSERT_TRUE(ok(kubexx_informer_start(informer_, nullptr)));

  EXPECT_TRUE(eventually([&] { return calls_ == 1; }));
  free_all();
}

TEST_P(CEndTest, AHandlerMayCallTheServerAndReadTheCache) {
  const auto on_event = [](const kubexx_event* event, void* data) {
    auto& self = *static_cast<CEndTest*>(data);
    kubexx_object* cached = nullptr;
    char* json = nullptr;
    kubexx_error* error = nullptr;
    const auto key = text(kubexx_event_key(event));
    EXPECT_TRUE(ok(kubexx_informer_get(self.informer_, key.c_str(), &cached, &error), error));
    EXPECT_TRUE(
        ok(kubexx_client_get(self.client_, "v1/configmaps", "default", "a", nullptr, &json, nullptr, &error), error));
    EXPECT_NE(taken(json).find("\"a\""), std::string::npos);
    kubexx_object_free(cached);
    ++self.calls_;
  };
  add_handler(on_event, this, &registration_, nullptr);
  start_and_sync(informer_);

  EXPECT_TRUE(eventually([&] { return calls_ == 1; }));
  free_all();
}

TEST_F(CTest, ACallUnderWayIsCanceledWithItsLoop) {
  auto* const loop = make_loop();
  auto* const client = make_client(loop);
  std::string answer;
  ASSERT_TRUE(ok(kubexx_client_get_async(
      client, "v1/configmaps", "default", "a", nullptr,
      [](const char*, std::size_t, const kubexx_error* error, void* to) {
        *static_cast<std::string*>(to) = kubexx_status_text(kubexx_error_status(error));
      },
      &answer, nullptr, nullptr)));

  kubexx_loop_free(loop);
  EXPECT_EQ(answer, "");
  kubexx_client_free(client);

  EXPECT_EQ(answer, "canceled");
}

}  // namespace
}  // namespace kubexx::c_test
