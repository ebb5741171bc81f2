/// What a sink has already is delivered without being read again.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "kubexx/meta/json_stream.hpp"

namespace kubexx::meta {
namespace {

/// Knows objects by name, uid and version; remembers what it was asked for.
struct Knower final : StreamSink {
  void on_item(Object item) override { delivered.push_back(std::move(item)); }
  void on_event(WatchEvent event) override { delivered.push_back(std::move(event.object)); }
  void on_end(Result<ListMeta>) override {}
  bool has_known() const override { return knows; }
  Object find_known(const ItemIdentity& identity) const override {
    asked.push_back(std::string(identity.namespace_) + "/" + std::string(identity.name) + " " +
                    std::string(identity.uid) + " " + std::string(identity.resource_version));
    const auto found = known.find(asked.back());
    return found == known.end() ? Object() : found->second;
  }

  bool knows = true;
  std::map<std::string, Object> known;
  std::vector<Object> delivered;
  mutable std::vector<std::string> asked;
};

const std::string kWeb =
    R"({"metadata":{"name":"web","namespace":"default","labels":{"a":"b"},"uid":"u-1","resourceVersion":"7"},"data":{"k":"v"}})";

class KnownItemsTest : public testing::Test {
 protected:
  void list(const std::string& items) {
    JsonListReader reader({}, sink);
    const std::string body = R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[)" + items + "]}";
    reader.feed(body).value();
    reader.finish().value();
  }
  Knower sink;
  const Object web = object_from_json(R"({"kind":"ConfigMap","metadata":{"name":"web"},"data":{"k":"the known one"}})");
};

TEST_F(KnownItemsTest, AnItemThatIsKnownIsNotRead) {
  sink.known["default/web u-1 7"] = web;
  list(kWeb);
  ASSERT_EQ(sink.delivered.size(), 1U);
  EXPECT_TRUE(sink.delivered[0].same_document(web));
}

TEST_F(KnownItemsTest, OneOfAnotherVersionIs) {
  sink.known["default/web u-1 6"] = web;
  list(kWeb + "," + kWeb);
  ASSERT_EQ(sink.delivered.size(), 2U);
  EXPECT_EQ(sink.delivered[1].at("/data/k").string(), "v");
  EXPECT_EQ(sink.asked, (std::vector<std::string>(2, "default/web u-1 7")));
}

TEST_F(KnownItemsTest, NobodyIsAskedWhoKnowsNothing) {
  sink.knows = false;
  sink.known["default/web u-1 7"] = web;
  list(kWeb);
  EXPECT_TRUE(sink.asked.empty());
  EXPECT_EQ(sink.delivered[0].at("/data/k").string(), "v");
}

TEST_F(KnownItemsTest, MetadataMayStandAnywhereAndWithoutANamespace) {
  list(R"({"data":{"k":["}",{}],"n":-1.5e3},"kind":"X","metadata":{"resourceVersion":"1","uid":"u","name":"n"}})");
  EXPECT_EQ(sink.asked, std::vector<std::string>{"/n u 1"});
  EXPECT_EQ(sink.delivered[0].at("/data/n").double_or(0), -1500);
}

TEST_F(KnownItemsTest, WhatIsUnusualIsReadAsEver) {
  const std::vector<std::string> items = {R"({})",
                                          R"({"metadata":{}})",
                                          R"({"metadata":null})",
                                          R"({"metadata":[]})",
                                          R"({"data":{}})",
                                          R"({"metadata":{"name":"n\u0061me","uid":"u","resourceVersion":"1"}})",
                                          R"({"metadata":{"name":7,"uid":"u","resourceVersion":"1"}})",
                                          R"({"metadata":{"name":"n","uid":"u"}})"};
  for (const auto& item : items) list(item);
  EXPECT_TRUE(sink.asked.empty()) << sink.asked.front();
  ASSERT_EQ(sink.delivered.size(), items.size());
  EXPECT_EQ(sink.delivered[5].name(), "name");
  EXPECT_EQ(sink.delivered[7].uid(), "u");
}

TEST_F(KnownItemsTest, AnEscapeBeforeTheMetadataIsReadAsWell) {
  list(R"({"data":{"k":"a\nb"},"metadata":{"name":"n","uid":"u","resourceVersion":"1","annotations":{"a":"\"b\""}}})");
  ASSERT_EQ(sink.delivered.size(), 1U);
  EXPECT_EQ(sink.delivered[0].at("/data/k").string(), "a\nb");
  EXPECT_EQ(sink.delivered[0].annotations()["a"].string(), "\"b\"");
}

TEST_F(KnownItemsTest, MistakesAreFoundWithAndWithoutIt) {
  for (const bool knows : {true, false}) {
    sink.knows = knows;
    for (const char* item : {R"({"metadata")", R"({"metadata":{"name")", R"({"metadata":{"name":"n",}})",
                             R"({"metadata":{"name":"n" "uid":"u"}})", R"({"metadata":{1:2}})", R"({"a":})"}) {
      JsonListReader reader({}, sink);
      const auto fed = reader.feed(std::string(R"({"kind":"ConfigMapList","items":[)") + item + "}]}");
      EXPECT_TRUE(!fed || !reader.finish()) << item;
    }
  }
}

TEST_F(KnownItemsTest, OfAWatchOnlyWhatIsAddedMayBeKnown) {
  sink.known["default/web u-1 7"] = web;
  JsonWatchReader reader({}, sink);
  reader.feed(R"({"type":"ADDED","object":)" + kWeb + R"(}{"object":)" + kWeb + R"(,"type":"MODIFIED"})").value();
  ASSERT_EQ(sink.delivered.size(), 2U);
  EXPECT_TRUE(sink.delivered[0].same_document(web));
  EXPECT_EQ(sink.delivered[1].at("/data/k").string(), "v");
}

}  // namespace
}  // namespace kubexx::meta
