#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/client/until.hpp"
#include "support/fixture_executor.hpp"
#include "unit/client/fake_client.hpp"

namespace kubexx::client {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class AsyncStreamTest : public testing::Test {
 protected:
  void log(std::vector<std::string> pieces, bool stays_open = false) {
    rest::FakeTransport::Answer answer;
    answer.chunks = std::move(pieces);
    answer.stays_open = stays_open;
    fake.transport->answers.push_back(std::move(answer));
  }
  LineCallbacks keep_lines() {
    LineCallbacks callbacks;
    callbacks.on_line = [this](std::string_view line) { heard.emplace_back(line); };
    callbacks.on_end = [this](const Error* error) { heard.push_back(error ? "error: " + error->message() : "end"); };
    return callbacks;
  }

  FixtureExecutor executor;
  FakeClient fake{executor};
  Strand strand{executor};
  std::vector<std::string> heard;
};

TEST_F(AsyncStreamTest, ALogComesByLinesOnTheStrand) {
  log({"on", "e\ntwo\n", "three"});
  auto callbacks = keep_lines();
  callbacks.on_open = [this] { heard.push_back("open"); };
  const auto call = fake.pods().start_log_lines("a", {.follow = true}, strand, std::move(callbacks));
  EXPECT_TRUE(heard.empty());
  executor->run_until_idle();

  EXPECT_THAT(heard, ElementsAre("open", "one", "two", "three", "end"));
  EXPECT_THAT(fake.transport->requests.back().url, HasSubstr("/pods/a/log?follow=true"));
}

TEST_F(AsyncStreamTest, ALogEndsWhenItsCallIsDestroyedInsideALine) {
  log({"one\ntwo\nthree\n"}, true);
  std::unique_ptr<meta::Call> call;
  LineCallbacks callbacks = keep_lines();
  callbacks.on_line = [&](std::string_view line) {
    heard.emplace_back(line);
    if (line == "two") call.reset();
  };
  call = fake.pods().start_log_lines("a", {}, strand, std::move(callbacks));
  executor->run_until_idle();

  EXPECT_THAT(heard, ElementsAre("one", "two"));
  EXPECT_FALSE(call);
}

TEST_F(AsyncStreamTest, WhatCameOfALineBeforeTheLogWasCutIsNoLine) {
  rest::FakeTransport::Answer cut;
  cut.chunks = {"one\ntw"};
  cut.error = Error::transport(TransportFailure::Eof, "closed in the middle of the answer");
  fake.transport->answers.push_back(std::move(cut));
  const auto call = fake.pods().start_log_lines("a", {}, strand, keep_lines());
  executor->run_until_idle();

  EXPECT_THAT(heard, ElementsAre("one", HasSubstr("error: ")));
}

TEST_F(AsyncStreamTest, ALogOfNobodyEndsWithAnErrorOnTheStrand) {
  const auto call = fake.pods().start_log_lines("", {}, strand, keep_lines());
  EXPECT_TRUE(heard.empty());
  executor->run_until_idle();

  ASSERT_EQ(heard.size(), 1U);
  EXPECT_THAT(heard[0], HasSubstr("error: a name is needed"));
  EXPECT_TRUE(fake.transport->requests.empty());
}

TEST_F(AsyncStreamTest, AConditionThatThrowsOrFailsEndsTheWaiting) {
  std::optional<Result<meta::WatchEvent>> ended;
  const auto keep = [&](Result<meta::WatchEvent> event) { ended = std::move(event); };
  fake.watch({FakeClient::event("ADDED", "a", "2")}, true);
  until_async(fake.pods(), {.resource_version = "1"},
              {[](const meta::WatchEvent&) -> Result<bool> { throw std::runtime_error("no good"); }})
      .start(keep);
  executor->run_until_idle();
  ASSERT_TRUE(ended && !*ended);
  EXPECT_THAT(ended->error().message(), HasSubstr("no good"));

  ended.reset();
  fake.watch({FakeClient::error_event(410, "Expired")}, true);
  until_without_retry_async(fake.pods(), {}, {[](const meta::WatchEvent&) -> Result<bool> { return false; }})
      .start(keep);
  executor->run_until_idle();
  ASSERT_TRUE(ended && !*ended);
  EXPECT_TRUE(ended->error().is_expired());

  ended.reset();
  until_async(fake.pods(), {.resource_version = "1"}, {}).start(keep);
  until_async(fake.pods(), {}, {[](const meta::WatchEvent&) -> Result<bool> { return true; }}).start(keep);
  EXPECT_FALSE(ended);
  executor->run_until_idle();
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().kind(), ErrorKind::Config);
}

TEST_F(AsyncStreamTest, AWatchThatIsCutDoesNotEndTheWaiting) {
  std::optional<Result<meta::WatchEvent>> ended;
  fake.watch({FakeClient::event("ADDED", "a", "2")});
  fake.watch({FakeClient::event("ADDED", "b", "3")}, true);
  until_async(fake.pods(), {.resource_version = "1"},
              {[](const meta::WatchEvent& event) -> Result<bool> { return event.object.name() == "b"; }})
      .start([&](Result<meta::WatchEvent> event) { ended = std::move(event); });
  executor->advance(seconds(2));

  ASSERT_TRUE(ended && *ended);
  EXPECT_EQ((*ended)->object.resource_version(), "3");
  EXPECT_EQ(fake.transport->requests.size(), 2U);
}

}  // namespace
}  // namespace kubexx::client
