#include <mutex>
#include <vector>

#include "c/c_server.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::c_test {
namespace {

constexpr const char* kMaps = "v1/configmaps";

std::string map_json(const std::string& name, const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("},"data":{"v":")" + value +
         R"("}})";
}

class CClientTest : public CTest {
 protected:
  CClientTest() { client_ = make_client(); }
  ~CClientTest() override { kubexx_client_free(client_); }

  std::string create(const std::string& name, const std::string& value) {
    const auto body = map_json(name, value);
    char* json = nullptr;
    std::size_t size = 0;
    kubexx_error* error = nullptr;
    EXPECT_TRUE(
        ok(kubexx_client_create(client_, kMaps, "default", body.data(), body.size(), nullptr, &json, &size, &error),
           error));
    return taken(json);
  }
  std::string value_of(const std::string& name) {
    char* json = nullptr;
    EXPECT_TRUE(ok(kubexx_client_get(client_, kMaps, "default", name.c_str(), nullptr, &json, nullptr, nullptr)));
    const auto text = taken(json);
    return text.empty() ? text : std::string(meta::parse_json(text).value()["data"]["v"].string());
  }
  kubexx_client* client_ = nullptr;
};

TEST_F(CClientTest, ObjectsGoInAndComeOutAsJson) {
  const auto created = create("one", "1");
  EXPECT_NE(created.find("\"uid\""), std::string::npos) << created;
  EXPECT_EQ(value_of("one"), "1");

  const auto changed = map_json("one", "2");
  ASSERT_TRUE(ok(kubexx_client_update(client_, kMaps, "default", changed.data(), changed.size(), nullptr, nullptr,
                                      nullptr, nullptr)));
  EXPECT_EQ(value_of("one"), "2");

  const std::string patch = R"({"data":{"v":"3"}})";
  ASSERT_TRUE(ok(kubexx_client_patch(client_, kMaps, "default", "one", KUBEXX_PATCH_MERGE, patch.data(), patch.size(),
                                     nullptr, nullptr, nullptr, nullptr)));
  EXPECT_EQ(value_of("one"), "3");

  Options manager;
  manager.set(KUBEXX_OPTION_FIELD_MANAGER, "test").set(KUBEXX_OPTION_FORCE, 1);
  const auto applied = map_json("one", "4");
  ASSERT_TRUE(ok(kubexx_client_apply(client_, kMaps, "default", applied.data(), applied.size(), manager, nullptr,
                                     nullptr, nullptr)));
  EXPECT_EQ(value_of("one"), "4");

  ASSERT_TRUE(ok(kubexx_client_delete(client_, kMaps, "default", "one", nullptr, nullptr)));
  EXPECT_EQ(kubexx_client_get(client_, kMaps, "default", "one", nullptr, nullptr, nullptr, nullptr), KUBEXX_NOT_FOUND);
}

TEST_F(CClientTest, AListHasAllPagesOrOneOfThem) {
  for (const auto* name : {"a", "b", "c"}) create(name, "x");
  Options page;
  page.set(KUBEXX_OPTION_LIMIT, 2);
  char* all = nullptr;
  char* first = nullptr;
  std::size_t size = 0;

  ASSERT_TRUE(ok(kubexx_client_list(client_, kMaps, "default", nullptr, &all, &size, nullptr)));
  ASSERT_TRUE(ok(kubexx_client_list(client_, kMaps, "default", page, &first, nullptr, nullptr)));

  const auto whole = meta::parse_json({all, size}).value();
  kubexx_text_free(all);
  const auto part = meta::parse_json(taken(first)).value();
  EXPECT_EQ(whole["items"].size(), 3u);
  EXPECT_EQ(whole["kind"].string(), "ConfigMapList");
  EXPECT_EQ(part["items"].size(), 2u);
  EXPECT_FALSE(part.at("/metadata/continue").string().empty());
}

TEST_F(CClientTest, WhatTheServerRefusesHasItsCodeReasonAndText) {
  create("there", "1");
  const auto again = map_json("there", "2");
  kubexx_error* error = nullptr;

  ASSERT_EQ(
      kubexx_client_create(client_, kMaps, "default", again.data(), again.size(), nullptr, nullptr, nullptr, &error),
      KUBEXX_ALREADY_EXISTS);
  EXPECT_EQ(kubexx_error_http_code(error), 409);
  EXPECT_STREQ(kubexx_error_reason(error), "AlreadyExists");
  EXPECT_NE(std::string(kubexx_error_message(error)).find("there"), std::string::npos);
  kubexx_error_free(error);

  const std::string stale =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"there","resourceVersion":"1"}})";
  EXPECT_EQ(
      kubexx_client_update(client_, kMaps, "default", stale.data(), stale.size(), nullptr, nullptr, nullptr, nullptr),
      KUBEXX_CONFLICT);
}

TEST_F(CClientTest, AServerThatIsNotThereIsAConnectionThatFailed) {
  server_.stop();
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_client_get(client_, kMaps, "default", "x", nullptr, nullptr, nullptr, &error), error);

  EXPECT_EQ(why.status, KUBEXX_TRANSPORT);
  EXPECT_FALSE(why.message.empty());
}

TEST_F(CClientTest, AResourceThatCannotBeReadIsRefusedBeforeAnythingIsSent) {
  for (const auto* resource : {"pods", "v1/", "/pods", "a/b/c/d", "/v1/pods", "//", ""}) {
    EXPECT_EQ(kubexx_client_get(client_, resource, "default", "x", nullptr, nullptr, nullptr, nullptr),
              KUBEXX_INVALID_ARGUMENT)
        << resource;
  }
}

TEST_F(CClientTest, AStoppedCallIsCanceled) {
  kubexx_stopper* stopper = nullptr;
  ASSERT_TRUE(ok(kubexx_stopper_new(&stopper, nullptr)));
  Options options;
  options.set(stopper);
  kubexx_stopper_stop(stopper);
  kubexx_stopper_free(stopper);

  EXPECT_EQ(kubexx_client_get(client_, kMaps, "default", "x", options, nullptr, nullptr, nullptr), KUBEXX_CANCELED);
}

/// Answers in the order they came, and how often the pointer was released.
struct Answers {
  std::mutex mutex{};
  std::vector<std::string> all{};  // guarded by mutex
  std::atomic<int> released{0};

  static void told(const char* json, std::size_t size, const kubexx_error* error, void* to) {
    auto& self = *static_cast<Answers*>(to);
    const std::lock_guard lock(self.mutex);
    self.all.push_back(error ? std::string(kubexx_status_text(kubexx_error_status(error))) : std::string(json, size));
  }
  static void release(void* to) { ++static_cast<Answers*>(to)->released; }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return all.size();
  }
  std::string last() {
    const std::lock_guard lock(mutex);
    return all.empty() ? "" : all.back();
  }
};

TEST_F(CClientTest, EveryCallHasAFormThatCallsBackOnce) {
  Answers to;
  int calls = 0;
  const auto answered = [&](kubexx_status begun) {  // the answer may be there already
    EXPECT_EQ(begun, KUBEXX_OK);
    ++calls;
    EXPECT_TRUE(testkit::eventually([&] { return to.released == calls; }));
    return to.last();
  };
  const auto body = map_json("one", "1");
  const auto newer = map_json("one", "2");
  const std::string patch = R"([{"op":"replace","path":"/data/v","value":"3"}])";
  Options manager;
  manager.set(KUBEXX_OPTION_FIELD_MANAGER, "test").set(KUBEXX_OPTION_FORCE, 1);

  EXPECT_NE(answered(kubexx_client_create_async(client_, kMaps, "default", body.data(), body.size(), nullptr,
                                                Answers::told, &to, Answers::release, nullptr))
                .find("\"v\":\"1\""),
            std::string::npos);
  EXPECT_NE(answered(kubexx_client_update_async(client_, kMaps, "default", newer.data(), newer.size(), nullptr,
                                                Answers::told, &to, Answers::release, nullptr))
                .find("\"v\":\"2\""),
            std::string::npos);
  EXPECT_NE(answered(kubexx_client_patch_async(client_, kMaps, "default", "one", KUBEXX_PATCH_JSON, patch.data(),
                                               patch.size(), nullptr, Answers::told, &to, Answers::release, nullptr))
                .find("\"v\":\"3\""),
            std::string::npos);
  EXPECT_NE(answered(kubexx_client_apply_async(client_, kMaps, "default", body.data(), body.size(), manager,
                                               Answers::told, &to, Answers::release, nullptr))
                .find("\"v\":\"1\""),
            std::string::npos);
  EXPECT_NE(answered(kubexx_client_get_async(client_, kMaps, "default", "one", nullptr, Answers::told, &to,
                                             Answers::release, nullptr))
                .find("\"uid\""),
            std::string::npos);
  EXPECT_NE(answered(kubexx_client_list_async(client_, kMaps, nullptr, nullptr, Answers::told, &to, Answers::release,
                                              nullptr))
                .find("\"items\":[{"),
            std::string::npos);
  EXPECT_EQ(answered(kubexx_client_delete_async(client_, kMaps, "default", "one", nullptr, Answers::told, &to,
                                                Answers::release, nullptr)),
            "");
  EXPECT_EQ(answered(kubexx_client_get_async(client_, kMaps, "default", "one", nullptr, Answers::told, &to,
                                             Answers::release, nullptr)),
            "not found");
  EXPECT_EQ(to.count(), 8u);
  EXPECT_EQ(to.released, 8);
}

TEST_F(CClientTest, ACallThatIsRefusedTakesNeitherCallbackNorPointer) {
  Answers to;
  kubexx_error* error = nullptr;

  const auto why = failed(
      kubexx_client_get_async(client_, kMaps, "default", "", nullptr, Answers::told, &to, Answers::release, &error),
      error);

  EXPECT_EQ(why.status, KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(why.message, "name is empty");
  EXPECT_EQ(kubexx_client_apply_async(client_, kMaps, "default", "{}", 2, nullptr, Answers::told, &to, Answers::release,
                                      nullptr),
            KUBEXX_INVALID_ARGUMENT);
  kubexx_client_free(std::exchange(client_, nullptr));
  EXPECT_EQ(to.count(), 0u);
  EXPECT_EQ(to.released, 0);
}

TEST_F(CClientTest, ACallUnderWayOutlivesItsClient) {
  Answers to;
  ASSERT_TRUE(ok(
      kubexx_client_get_async(client_, kMaps, "default", "x", nullptr, Answers::told, &to, Answers::release, nullptr)));

  kubexx_client_free(std::exchange(client_, nullptr));

  EXPECT_TRUE(testkit::eventually([&] { return to.released == 1; }));
  EXPECT_EQ(to.last(), "not found");
}

}  // namespace
}  // namespace kubexx::c_test
