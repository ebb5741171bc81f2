#include <algorithm>
#include <mutex>
#include <vector>

#include "c/c_server.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::c_test {
namespace {

/// "added default/a initial", in the order they came.
struct EventLines {
  std::mutex mutex{};
  std::vector<std::string> all{};  // guarded by mutex
  std::atomic<int> released{0};

  static void told(const kubexx_event* event, void* to) {
    static const char* const kTypes[] = {"", "added ", "updated ", "deleted "};
    static const char* const kCauses[] = {"", " initial", " watch", " relist", " resync"};
    std::string line =
        kTypes[kubexx_event_get_type(event)] + text(kubexx_event_key(event)) + kCauses[kubexx_event_get_cause(event)];
    if (kubexx_event_before(event)) {
      kubexx_view before{};
      kubexx_view after{};
      kubexx_object_string(kubexx_event_before(event), "/data/v", &before);
      kubexx_object_string(kubexx_event_object(event), "/data/v", &after);
      line += " from " + text(before) + " to " + text(after);
    }
    if (!kubexx_event_final_state_known(event)) line += " unseen";
    auto& self = *static_cast<EventLines*>(to);
    const std::lock_guard lock(self.mutex);
    self.all.push_back(line);
  }
  static void release(void* to) { ++static_cast<EventLines*>(to)->released; }
  bool heard(const std::vector<std::string>& lines) {
    return testkit::eventually([&] {
      const std::lock_guard lock(mutex);
      return all == lines;
    });
  }
};

class CInformerTest : public CTest {
 protected:
  CInformerTest() { client_ = make_client(); }
  ~CInformerTest() override {
    kubexx_registration_free(registration_);
    kubexx_informer_free(informer_);
    kubexx_client_free(client_);
  }
  void begin(const kubexx_options* options = nullptr, const char* resource = "v1/configmaps") {
    informer_ = make_informer(client_, resource, options);
    start_and_sync(informer_);
  }
  std::vector<std::string> names(kubexx_status status, kubexx_list* list) {
    EXPECT_EQ(status, KUBEXX_OK);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kubexx_list_size(list); ++i) {
      names.push_back(text(kubexx_object_name(kubexx_list_at(list, i))));
    }
    EXPECT_EQ(kubexx_list_at(list, kubexx_list_size(list)), nullptr);
    kubexx_list_free(list);
    std::ranges::sort(names);
    return names;
  }
  std::vector<std::string> by_index(const char* index, const char* value) {
    kubexx_list* list = nullptr;
    const auto status = kubexx_informer_by_index(informer_, index, value, &list, nullptr);
    return names(status, list);
  }
  std::vector<std::string> listed(const char* name_space = nullptr, const char* labels = nullptr) {
    kubexx_list* list = nullptr;
    const auto status = kubexx_informer_list(informer_, name_space, labels, &list, nullptr);
    return names(status, list);
  }
  void seed_pod(const std::string& name, const std::string& name_space, const std::string& node) {
    const auto pod =
        meta::parse_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":")" +
                         name_space + R"(","labels":{"app":")" + name + R"("}},"spec":{"nodeName":")" + node +
                         R"(","containers":[{"name":"a","image":"x:1"},{"name":"b","image":"y:1"}]}})");
    ASSERT_TRUE(server_.seed(pod.value()));
  }

  kubexx_client* client_ = nullptr;
  kubexx_informer* informer_ = nullptr;
  kubexx_registration* registration_ = nullptr;
};

using Names = std::vector<std::string>;

TEST_F(CInformerTest, AHandlerHearsWhatHappensAndWhy) {
  seed("default/a", "1");
  EventLines lines;
  informer_ = make_informer(client_);
  ASSERT_TRUE(ok(kubexx_informer_add_handler(informer_, nullptr, EventLines::told, &lines, EventLines::release,
                                             &registration_, nullptr)));
  start_and_sync(informer_);
  ASSERT_TRUE(lines.heard({"added default/a initial"}));
  EXPECT_TRUE(testkit::eventually([&] { return kubexx_registration_has_synced(registration_) == 1; }));

  ASSERT_TRUE(server_.update(testkit::make_config_map("default/a", "2")));
  seed("default/b", "1");
  ASSERT_TRUE(ok(kubexx_client_delete(client_, "v1/configmaps", "default", "a", nullptr, nullptr)));

  EXPECT_TRUE(lines.heard({"added default/a initial", "updated default/a watch from 1 to 2", "added default/b watch",
                           "deleted default/a watch"}));
  kubexx_registration_free(std::exchange(registration_, nullptr));
  EXPECT_TRUE(testkit::eventually([&] { return lines.released == 1; }));
}

TEST_F(CInformerTest, TheCacheIsReadByKeyNamespaceAndLabel) {
  seed_pod("a", "shop", "n1");
  seed_pod("b", "shop", "n2");
  seed_pod("c", "bank", "n1");
  begin(nullptr, "v1/pods");

  kubexx_object* object = nullptr;
  ASSERT_TRUE(ok(kubexx_informer_get(informer_, "shop/b", &object, nullptr)));
  EXPECT_EQ(text(kubexx_object_name(object)), "b");
  kubexx_object_free(object);
  EXPECT_EQ(listed(), (Names{"a", "b", "c"}));
  EXPECT_EQ(listed("shop"), (Names{"a", "b"}));
  EXPECT_EQ(listed("", "app in (b,c)"), (Names{"b", "c"}));
  EXPECT_EQ(by_index("namespace", "bank"), (Names{"c"}));
  EXPECT_EQ(kubexx_informer_size(informer_), 3u);
}

TEST_F(CInformerTest, WhatTheCacheDoesNotHaveIsNotFoundAndAnUnknownIndexIsRefused) {
  begin();
  kubexx_object* object = nullptr;
  kubexx_list* list = nullptr;
  kubexx_error* error = nullptr;

  const auto missing = failed(kubexx_informer_get(informer_, "default/x", &object, &error), error);
  const auto unknown = failed(kubexx_informer_by_index(informer_, "color", "red", &list, &error), error);
  const auto selector = failed(kubexx_informer_list(informer_, "", "a in (", &list, &error), error);

  EXPECT_EQ(missing.status, KUBEXX_NOT_FOUND);
  EXPECT_EQ(missing.message, "the cache does not have default/x");
  EXPECT_EQ(unknown.status, KUBEXX_INVALID_ARGUMENT);
  EXPECT_NE(unknown.message.find("color"), std::string::npos) << unknown.message;
  EXPECT_EQ(selector.status, KUBEXX_INVALID_ARGUMENT);
}

TEST_F(CInformerTest, IndexesAreMadeOfLabelsAndFields) {
  seed_pod("a", "shop", "n1");
  seed_pod("b", "bank", "n1");
  seed_pod("c", "bank", "n2");
  Options options;
  options.set(KUBEXX_OPTION_LABEL_INDEX, "app=app").set(KUBEXX_OPTION_FIELD_INDEX, "node=spec.nodeName");
  options.set(KUBEXX_OPTION_FIELD_INDEX, "image=spec.containers.image");
  begin(options, "v1/pods");

  EXPECT_EQ(by_index("app", "b"), (Names{"b"}));
  EXPECT_EQ(by_index("node", "n1"), (Names{"a", "b"}));
  EXPECT_EQ(by_index("image", "y:1"), (Names{"a", "b", "c"}));
  EXPECT_EQ(by_index("node", "n9"), (Names{}));
}

TEST_F(CInformerTest, AnIndexThatCannotBeReadIsRefused) {
  for (const auto* text : {"node", "=x", "namespace=spec.x", "a=spec..x", "a=."}) {
    Options options;
    options.set(KUBEXX_OPTION_FIELD_INDEX, text);
    EXPECT_EQ(kubexx_informer_new(client_, "v1/pods", options, &informer_, nullptr), KUBEXX_INVALID_ARGUMENT) << text;
  }
}

TEST_F(CInformerTest, OptionsSayWhatIsInTheCache) {
  seed_pod("a", "shop", "n1");
  seed_pod("b", "bank", "n1");
  seed_pod("c", "bank", "n2");
  seed_pod("d", "other", "n1");
  Options options;
  options.set(KUBEXX_OPTION_NAMESPACE, "shop").set(KUBEXX_OPTION_NAMESPACE, "bank");
  options.set(KUBEXX_OPTION_FILTER_FIELDS, "spec.nodeName!=n2").set(KUBEXX_OPTION_FILTER_LABELS, "app!=zzz");
  options.set(KUBEXX_OPTION_PROJECTION, "metadata.labels").set(KUBEXX_OPTION_PROJECTION, "spec.nodeName");
  begin(options, "v1/pods");

  EXPECT_EQ(listed(), (Names{"a", "b"}));
  kubexx_object* object = nullptr;
  ASSERT_TRUE(ok(kubexx_informer_get(informer_, "shop/a", &object, nullptr)));
  EXPECT_EQ(kubexx_object_type(object, "/spec/nodeName"), KUBEXX_STRING);
  EXPECT_EQ(kubexx_object_type(object, "/spec/containers"), KUBEXX_ABSENT);
  kubexx_object_free(object);
}

TEST_F(CInformerTest, SelectorsAreTheServersAndMetadataMayBeAll) {
  seed_pod("a", "shop", "n1");
  seed_pod("b", "shop", "n2");
  seed_pod("c", "shop", "n1");
  Options options;
  options.set(KUBEXX_OPTION_LABEL_SELECTOR, "app!=c").set(KUBEXX_OPTION_FIELD_SELECTOR, "spec.nodeName=n1");
  options.set(KUBEXX_OPTION_METADATA_ONLY, 1);
  begin(options, "v1/pods");

  EXPECT_EQ(listed(), (Names{"a"}));
  kubexx_object* object = nullptr;
  ASSERT_TRUE(ok(kubexx_informer_get(informer_, "shop/a", &object, nullptr)));
  EXPECT_EQ(kubexx_object_type(object, "/metadata/labels/app"), KUBEXX_STRING);
  EXPECT_EQ(kubexx_object_type(object, "/spec"), KUBEXX_ABSENT);
  kubexx_object_free(object);
}

TEST_F(CInformerTest, ASnapshotStaysAsItWas) {
  seed("default/a", "1");
  begin();
  kubexx_snapshot* snapshot = nullptr;
  ASSERT_TRUE(ok(kubexx_informer_snapshot(informer_, &snapshot, nullptr)));
  const auto added = server_.seed(testkit::make_config_map("default/b", "2")).value();

  ASSERT_TRUE(
      ok(kubexx_informer_wait_for_version(informer_, std::string(added.resource_version()).c_str(), nullptr, nullptr)));

  EXPECT_EQ(listed(), (Names{"a", "b"}));
  EXPECT_EQ(kubexx_snapshot_size(snapshot), 1u);
  EXPECT_FALSE(text(kubexx_snapshot_resource_version(snapshot)).empty());
  kubexx_list* list = nullptr;
  auto status = kubexx_snapshot_list(snapshot, &list, nullptr);
  EXPECT_EQ(names(status, list), (Names{"a"}));
  status = kubexx_snapshot_by_index(snapshot, "namespace", "default", &list, nullptr);
  EXPECT_EQ(names(status, list), (Names{"a"}));
  kubexx_object* object = nullptr;
  EXPECT_EQ(kubexx_snapshot_get(snapshot, "default/b", &object, nullptr), KUBEXX_NOT_FOUND);
  EXPECT_EQ(kubexx_snapshot_get(snapshot, "default/a", nullptr, nullptr), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_snapshot_list(snapshot, nullptr, nullptr), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_informer_get(informer_, "default/a", nullptr, nullptr), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_informer_snapshot(informer_, nullptr, nullptr), KUBEXX_INVALID_ARGUMENT);
  ASSERT_TRUE(ok(kubexx_snapshot_get(snapshot, "default/a", &object, nullptr)));
  kubexx_informer_free(std::exchange(informer_, nullptr));
  EXPECT_EQ(text(kubexx_object_name(object)), "a");
  kubexx_object_free(object);
  kubexx_snapshot_free(snapshot);
}

TEST_F(CInformerTest, AWaitForSyncThatFailsSaysWhy) {
  informer_ = make_informer(client_, "example.com/v1/widgets");
  EXPECT_EQ(kubexx_informer_has_synced(informer_), 0);
  ASSERT_TRUE(ok(kubexx_informer_start(informer_, nullptr)));
  Options fast;
  fast.set(KUBEXX_OPTION_FAIL_FAST, 1).set(KUBEXX_OPTION_TIMEOUT_MS, 30'000);
  Options soon;
  soon.set(KUBEXX_OPTION_TIMEOUT_MS, 1);
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_informer_wait_for_sync(informer_, fast, &error), error);
  const auto late = failed(kubexx_informer_wait_for_sync(informer_, soon, &error), error);

  EXPECT_EQ(why.status, KUBEXX_NOT_FOUND) << why.message;
  EXPECT_NE(why.message.find("widgets"), std::string::npos) << why.message;
  EXPECT_EQ(late.status, KUBEXX_TIMEOUT) << late.message;
}

TEST_F(CInformerTest, ItsStatusIsJson) {
  seed("default/a", "1");
  begin();
  EventLines lines;
  Options options;
  options.set(KUBEXX_OPTION_NAME, "mine").set(KUBEXX_OPTION_COALESCE, 1);
  ASSERT_TRUE(
      ok(kubexx_informer_add_handler(informer_, options, EventLines::told, &lines, nullptr, &registration_, nullptr)));
  ASSERT_TRUE(lines.heard({"added default/a initial"}));
  char* json = nullptr;
  std::size_t size = 0;

  ASSERT_TRUE(ok(kubexx_informer_status(informer_, &json, &size, nullptr)));

  const auto status = meta::parse_json({json, size}).value();
  kubexx_text_free(json);
  EXPECT_TRUE(status["synced"].bool_or(false));
  EXPECT_EQ(status["objects"].int_or(0), 1);
  EXPECT_EQ(status.at("/handlers/0/name").string(), "mine");
  EXPECT_EQ(kubexx_informer_has_synced(informer_), 1);
}

TEST_F(CInformerTest, CallsInTheWrongOrderAreRefusedWithAWord) {
  informer_ = make_informer(client_);
  kubexx_error* error = nullptr;

  EXPECT_EQ(failed(kubexx_informer_join(informer_, &error), error).status, KUBEXX_MISUSE);
  ASSERT_TRUE(ok(kubexx_informer_start(informer_, nullptr)));
  EXPECT_EQ(failed(kubexx_informer_start(informer_, &error), error).message, "the informer was started already");
  kubexx_informer_stop(informer_);
  kubexx_informer_stop(informer_);
  EXPECT_TRUE(ok(kubexx_informer_join(informer_, &error), error));
  EXPECT_TRUE(ok(kubexx_informer_join(informer_, &error), error));
  EXPECT_EQ(failed(kubexx_informer_start(informer_, &error), error).status, KUBEXX_MISUSE);

  EventLines lines;
  EXPECT_EQ(kubexx_informer_add_handler(informer_, nullptr, EventLines::told, &lines, EventLines::release,
                                        &registration_, nullptr),
            KUBEXX_CANCELED);
  EXPECT_EQ(lines.released, 0);
}

TEST_F(CInformerTest, WaitingForOneThatWasStoppedBeforeItSyncedIsCanceled) {
  informer_ = make_informer(client_);
  kubexx_informer_stop(informer_);
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_informer_wait_for_sync(informer_, nullptr, &error), error);

  EXPECT_EQ(why.status, KUBEXX_CANCELED);
  EXPECT_NE(why.message.find("stopped"), std::string::npos) << why.message;
}

TEST_F(CInformerTest, AHandlerIsRemindedWhereItAsksForThat) {
  seed("default/a", "1");
  informer_ = make_informer(client_);
  EventLines lines;
  Options options;
  options.set(KUBEXX_OPTION_RESYNC_MS, 1000);
  ASSERT_TRUE(
      ok(kubexx_informer_add_handler(informer_, options, EventLines::told, &lines, nullptr, &registration_, nullptr)));
  start_and_sync(informer_);

  EXPECT_TRUE(testkit::eventually([&] {
    const std::lock_guard lock(lines.mutex);
    return lines.all.size() >= 2 && lines.all[1] == "updated default/a resync from 1 to 1";
  }));
  kubexx_registration_free(std::exchange(registration_, nullptr));  // before the lines go: it is reminded every second
}

}  // namespace
}  // namespace kubexx::c_test
