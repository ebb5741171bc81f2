#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <string>
#include <utility>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/c.h"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::c_test {

/// Success, or a failure with its text; frees the error. A reference: the call in the first argument sets it.
inline testing::AssertionResult ok(kubexx_status status, kubexx_error*& error) {
  auto result = status == KUBEXX_OK ? testing::AssertionSuccess() : testing::AssertionFailure();
  result << kubexx_status_text(status) << ": " << kubexx_error_message(error);
  kubexx_error_free(std::exchange(error, nullptr));
  return result;
}
inline testing::AssertionResult ok(kubexx_status status) {
  kubexx_error* none = nullptr;
  return ok(status, none);
}

/// The status and the text of a failure.
struct Failed {
  kubexx_status status;
  std::string message;
};
inline Failed failed(kubexx_status status, kubexx_error*& error) {
  Failed result{status, kubexx_error_message(error)};
  EXPECT_EQ(kubexx_error_status(error), status);
  kubexx_error_free(std::exchange(error, nullptr));
  return result;
}

inline std::string text(kubexx_view view) {
  return {view.data, view.size};
}

/// A text that the library handed out.
inline std::string taken(char* text) {
  std::string copy = text ? text : "";
  kubexx_text_free(text);
  return copy;
}

/// Options of texts and numbers, freed with it.
class Options {
 public:
  Options() { EXPECT_TRUE(ok(kubexx_options_new(&options_, nullptr))); }
  ~Options() { kubexx_options_free(options_); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  Options& set(kubexx_option option, const std::string& value) {
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_options_set(options_, option, value.c_str(), &error), error));
    return *this;
  }
  Options& set(kubexx_option option, int value) {
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_options_set_number(options_, option, value, &error), error));
    return *this;
  }
  Options& set(const kubexx_stopper* stopper) {
    EXPECT_TRUE(ok(kubexx_options_set_stopper(options_, stopper, nullptr)));
    return *this;
  }
  operator const kubexx_options*() const { return options_; }  // NOLINT(google-explicit-constructor)
  kubexx_options* get() const { return options_; }

 private:
  kubexx_options* options_ = nullptr;
};

/// With the embedded server, and a configuration of it.
class CTest : public ::testing::Test {
 protected:
  CTest() {
    Options options;
    options.set(KUBEXX_OPTION_KUBECONFIG_TEXT, server_.kubeconfig());
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_config_load(options, &config_, &error), error));
  }
  ~CTest() override { kubexx_config_free(config_); }

  kubexx_client* make_client(kubexx_loop* loop = nullptr) {
    kubexx_client* client = nullptr;
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_client_new(config_, nullptr, loop, &client, &error), error));
    return client;
  }
  static kubexx_loop* make_loop() {
    kubexx_loop* loop = nullptr;
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_loop_new(&loop, &error), error));
    return loop;
  }
  static kubexx_informer* make_informer(kubexx_client* client, const char* resource = "v1/configmaps",
                                        const kubexx_options* options = nullptr) {
    kubexx_informer* informer = nullptr;
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_informer_new(client, resource, options, &informer, &error), error));
    return informer;
  }
  static void start_and_sync(kubexx_informer* informer) {
    kubexx_error* error = nullptr;
    ASSERT_TRUE(ok(kubexx_informer_start(informer, &error), error));
    Options options;
    options.set(KUBEXX_OPTION_TIMEOUT_MS, 30'000);
    ASSERT_TRUE(ok(kubexx_informer_wait_for_sync(informer, options, &error), error));
  }
  void seed(const std::string& key, const std::string& value = "") {
    ASSERT_TRUE(server_.seed(testkit::make_config_map(key, value)));
  }
  /// The loop of a program, until something is so.
  template <class Done>
  static bool poll_until(kubexx_loop* loop, Done done) {
    const TimePoint ceiling = Clock::system().now() + std::chrono::seconds(30);
    while (!done()) {
      if (Clock::system().now() > ceiling) return false;
      pollfd waiting{kubexx_loop_fd(loop), POLLIN, 0};
      if (::poll(&waiting, 1, 1000) != 1) continue;
      kubexx_error* error = nullptr;
      EXPECT_TRUE(ok(kubexx_loop_run_ready(loop, nullptr, &error), error));
    }
    return true;
  }

  apiserver::Server server_{apiserver::Options{.tls = true}};  // its kubeconfig has a certificate
  kubexx_config* config_ = nullptr;
};

inline void count_release(void* count) {
  ++*static_cast<std::atomic<int>*>(count);
}

}  // namespace kubexx::c_test
