#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/apiserver/core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using testing::HasSubstr;

class PodLogTest : public CoreFixture {
 protected:
  PodLogTest() { make_pod(); }

  void make_pod(const std::string& containers = R"([{"name":"web","image":"i"}])", const std::string& more = "") {
    const std::string pod =
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},"spec":{)" + more +
        R"("nodeName":"n","containers":)" + containers + "}}";
    ASSERT_TRUE(core->seed_json(pod));
  }
  std::shared_ptr<RecordingWriter> log(const std::string& query = "") {
    return get("/api/v1/namespaces/default/pods/p/log" + query, "text/plain, */*");
  }
  void write(const std::string& text) { ASSERT_TRUE(core->append_log(web, text)); }
  meta::Object pod() { return core->get({"", "v1", "pods"}, {"default", "p"}).value(); }

  const ContainerKey web{"default", "p", "web"};
};

TEST_F(PodLogTest, ALogIsTheLinesThatWereWritten) {
  write("one");
  write("two\n\nfour\n");

  const auto answer = log();

  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("Content-Type"), "text/plain");
  EXPECT_EQ(answer->body, "one\ntwo\n\nfour\n");
  EXPECT_TRUE(answer->finished);
}

TEST_F(PodLogTest, TheTimeOfALineHasNineDigits) {
  const WallTime at(std::chrono::seconds(1'700'000'000) + std::chrono::nanoseconds(42));
  ASSERT_TRUE(core->append_log(web, "one", at));

  EXPECT_EQ(log("?timestamps=true")->body, "2023-11-14T22:13:20.000000042Z one\n");
}

TEST_F(PodLogTest, SinceTimeCountsFromItsWholeSecond) {
  const WallTime second(std::chrono::seconds(1'700'000'000));
  ASSERT_TRUE(core->append_log(web, "before", second - Duration(1)));
  ASSERT_TRUE(core->append_log(web, "at", second));
  ASSERT_TRUE(core->append_log(web, "after", second + Duration(1)));

  EXPECT_EQ(log("?sinceTime=2023-11-14T22:13:20Z")->body, "at\nafter\n");
  EXPECT_EQ(log("?sinceTime=2023-11-14T22:13:20.9Z")->body, "at\nafter\n");
  EXPECT_EQ(log("?sinceTime=2023-11-14T22:13:21Z")->body, "");
  EXPECT_EQ(log("?sinceTime=yesterday")->status, 400);
}

TEST_F(PodLogTest, SinceSecondsCountsBackFromNow) {
  write("old");
  executor->advance(std::chrono::seconds(10));
  write("new");

  EXPECT_EQ(log("?sinceSeconds=5")->body, "new\n");
  EXPECT_EQ(log("?sinceSeconds=9223372036854775807")->body, "old\nnew\n");
}

TEST_F(PodLogTest, TailAndLimitCutAtTheFrontAndAtTheEnd) {
  write("one\ntwo\nthree");

  EXPECT_EQ(log("?tailLines=2")->body, "two\nthree\n");
  EXPECT_EQ(log("?tailLines=0")->body, "");
  EXPECT_EQ(log("?tailLines=9")->body, "one\ntwo\nthree\n");
  EXPECT_EQ(log("?limitBytes=5")->body, "one\nt");
  const auto followed = log("?follow=true&limitBytes=5");
  EXPECT_EQ(followed->body, "one\nt");
  EXPECT_TRUE(followed->finished);
}

TEST_F(PodLogTest, WhatCannotBeAskedForIsRefusedAsARealServerDoes) {
  EXPECT_EQ(log("?tailLines=-1")->status, 422);
  EXPECT_THAT(
      log("?tailLines=-1")->body,
      HasSubstr(R"(PodLogOptions \"p\" is invalid: tailLines: Invalid value: -1: must be greater than or equal)"));
  EXPECT_THAT(log("?limitBytes=0")->body, HasSubstr("limitBytes: Invalid value: 0: must be greater than 0"));
  EXPECT_EQ(log("?sinceSeconds=0")->status, 422);
  EXPECT_THAT(log("?sinceSeconds=1&sinceTime=2023-11-14T22:13:20Z")->body,
              HasSubstr("at most one of `sinceTime` or `sinceSeconds` may be specified"));
  EXPECT_EQ(log("?tailLines=many")->status, 400);
  EXPECT_EQ(get("/api/v1/namespaces/default/pods/nobody/log")->status, 404);
  EXPECT_THAT(get("/api/v1/namespaces/default/pods/nobody/log")->body, HasSubstr(R"(pods \"nobody\" not found)"));
}

TEST_F(PodLogTest, AContainerIsChosenWhereThereAreSeveral) {
  make_pod(R"([{"name":"x","image":"i"},{"name":"y","image":"i"}])",
           R"("initContainers":[{"name":"first","image":"i"}],)");
  ASSERT_TRUE(core->append_log({"default", "p", "y"}, "of y"));

  EXPECT_EQ(log()->status, 400);
  EXPECT_THAT(log()->body, HasSubstr("a container name must be specified for pod p, choose one of: [x y] or one of the "
                                     "init containers: [first]"));
  EXPECT_THAT(log("?container=z")->body, HasSubstr("container z is not valid for pod p"));
  EXPECT_EQ(log("?container=y")->body, "of y\n");
  EXPECT_THAT(log("?container=x")->body, HasSubstr(R"(container \"x\" in pod \"p\" is waiting to start)"));
  EXPECT_FALSE(core->append_log({"default", "p", ""}, "of whom?"));
}

TEST_F(PodLogTest, ALogOfAPodWithoutANodeIsEmpty) {
  ASSERT_EQ(send("POST", "/api/v1/namespaces/default/pods",
                 R"({"metadata":{"name":"q"},"spec":{"containers":[{"name":"x","image":"i"}]}})")
                ->status,
            201);

  const auto answer = get("/api/v1/namespaces/default/pods/q/log");

  EXPECT_EQ(answer->status, 204);
  EXPECT_EQ(answer->body, "");
}

TEST_F(PodLogTest, AFollowerGetsWhatIsThereAndWhatIsWrittenUntilTheContainerEnds) {
  write("one");
  const auto followed = log("?follow=true");
  write("two");
  EXPECT_EQ(followed->body, "one\ntwo\n");
  EXPECT_FALSE(followed->finished);
  EXPECT_EQ(core->log_followers(), 1U);

  ASSERT_TRUE(core->end_container(web, 3));

  EXPECT_TRUE(followed->finished);
  EXPECT_EQ(core->log_followers(), 0U);
  EXPECT_EQ(pod()["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"].int_or(0), 3);
  EXPECT_FALSE(core->append_log(web, "too late"));
  EXPECT_EQ(log("?follow=true")->body, "one\ntwo\n");
}

TEST_F(PodLogTest, AContainerThatStartsAgainHasAPreviousLogAndAHigherCount) {
  EXPECT_THAT(log("?previous=true")->body, HasSubstr("waiting to start"));
  write("first run");
  EXPECT_THAT(log("?previous=true")->body,
              HasSubstr(R"(previous terminated container \"web\" in pod \"p\" not found)"));
  const auto followed = log("?follow=true");

  ASSERT_TRUE(core->start_container(web));
  write("second run");

  EXPECT_TRUE(followed->finished);
  EXPECT_EQ(followed->body, "first run\n");
  EXPECT_EQ(log()->body, "second run\n");
  EXPECT_EQ(log("?previous=true")->body, "first run\n");
  const auto status = pod()["status"]["containerStatuses"][0];
  EXPECT_EQ(status["restartCount"].int_or(0), 1);
  EXPECT_TRUE(status["lastState"]["terminated"].exists());
}

TEST_F(PodLogTest, TheLogGoesWithThePod) {
  write("one");
  const auto followed = log("?follow=true");

  ASSERT_TRUE(core->remove({"", "v1", "pods"}, {"default", "p"}));
  EXPECT_TRUE(followed->finished);
  EXPECT_EQ(log()->status, 404);

  make_pod();
  EXPECT_EQ(log()->status, 400);
  write("of another");
  EXPECT_EQ(log()->body, "of another\n");
}

TEST_F(PodLogTest, OnlyTheNewestOfALogIsKept) {
  Options options;
  options.log_bytes = 4096;
  open(options);
  make_pod();
  for (int i = 0; i < 1000; ++i) write("line " + std::to_string(i));

  const auto text = log()->body;

  EXPECT_LT(text.size(), 4096U);
  EXPECT_TRUE(text.ends_with("line 998\nline 999\n"));
  EXPECT_FALSE(core->append_log(web, std::string(4097, 'x')));
}

TEST_F(PodLogTest, AFollowerThatReadsSlowlyGetsNoMoreUntilItHasCaughtUp) {
  Options options;
  options.log_bytes = 64 << 20;
  open(options);
  make_pod();
  write("one");
  const auto followed = log("?follow=true");
  followed->unread = 1 << 20;
  for (int i = 0; i < 100; ++i) write("more");
  EXPECT_EQ(followed->body, "one\n");

  followed->unread = 0;
  executor->advance(std::chrono::seconds(1));

  EXPECT_EQ(followed->body.size(), 4U + 100 * 5);
}

TEST_F(PodLogTest, AFaultOfTheSubresourceCutsALineAndLeavesThePodAlone) {
  write("one\ntwo");
  const auto fault = core->add_fault({.resource = "pods", .truncate_after = 6, .subresource = "log"});

  const auto cut = log("?follow=true");

  EXPECT_EQ(cut->body, "one\ntw");
  EXPECT_TRUE(cut->aborted);
  EXPECT_EQ(get("/api/v1/namespaces/default/pods/p")->status, 200);
}

TEST_F(PodLogTest, FollowedLogsAreEndedOrCutOnCommand) {
  write("one");
  const auto ended = log("?follow=true");
  EXPECT_EQ(core->end_logs(), 1U);
  const auto cut = log("?follow=true");
  EXPECT_EQ(core->cut_logs(), 1U);

  EXPECT_TRUE(ended->finished);
  EXPECT_TRUE(cut->aborted);
  EXPECT_EQ(core->log_followers(), 0U);
}

TEST_F(PodLogTest, AFollowerThatWentAwayIsForgotten) {
  write("one");
  const auto followed = log("?follow=true");

  followed->close();
  settle();

  EXPECT_EQ(core->log_followers(), 0U);
}

TEST_F(PodLogTest, TheControlPathPlaysANode) {
  Options options;
  options.fault_path = true;
  open(options);
  make_pod();
  const auto act = [this](const std::string& what) {
    return send("POST", "/kubexx/faults", R"({"namespace":"default","pod":"p",)" + what + "}")->status;
  };

  EXPECT_EQ(act(R"("action":"appendLog","text":"one")"), 200);
  EXPECT_EQ(act(R"("action":"startContainer","container":"web")"), 200);
  EXPECT_EQ(log("?previous=true")->body, "one\n");
  EXPECT_EQ(act(R"("action":"endContainer")"), 200);
  EXPECT_EQ(act(R"("action":"endContainer","container":"nobody")"), 400);
}

}  // namespace
}  // namespace kubexx::apiserver
