/// As of JSON: what a sink has already is delivered without being read again.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::codec {
namespace {

const meta::Object kKnown = meta::object_from_json(R"({"kind":"ConfigMap","data":{"k":"the known one"}})");

struct Knower final : meta::StreamSink {
  void on_item(meta::Object item) override { delivered.push_back(std::move(item)); }
  void on_event(meta::WatchEvent event) override { delivered.push_back(std::move(event.object)); }
  void on_end(Result<meta::ListMeta>) override {}
  bool has_known() const override { return knows; }
  meta::Object find_known(const meta::ItemIdentity& identity) const override {
    asked.push_back(std::string(identity.namespace_) + "/" + std::string(identity.name) + " " +
                    std::string(identity.uid) + " " + std::string(identity.resource_version));
    return asked.back() == "default/a u-1 7" ? kKnown : meta::Object();
  }
  bool knows = true;
  std::vector<meta::Object> delivered;
  mutable std::vector<std::string> asked;
};

std::string item(const std::string& version) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","generateName":"g-","namespace":"default",)"
         R"("uid":"u-1","resourceVersion":")" +
         version + R"(","labels":{"x":"y"}},"data":{"k":"v"}})";
}

std::string list(const std::string& items) {
  return to_protobuf(meta::object_from_json(R"({"kind":"ConfigMapList","apiVersion":"v1","items":[)" + items + "]}"))
      .value();
}

std::vector<std::string> values(const Knower& sink) {
  std::vector<std::string> all;
  for (const auto& object : sink.delivered) all.emplace_back(object.at("/data/k").string());
  return all;
}

TEST(KnownProtobufItemsTest, AnItemThatIsKnownIsNotRead) {
  Knower sink;
  ProtobufListReader reader({}, sink);
  reader.feed(list(item("7") + "," + item("8") + R"(,{"metadata":{"name":"b"},"data":{"k":"no uid"}})")).value();
  reader.finish().value();
  EXPECT_EQ(values(sink), (std::vector<std::string>{"the known one", "v", "no uid"}));
  EXPECT_EQ(sink.asked, (std::vector<std::string>{"default/a u-1 7", "default/a u-1 8"}));
}

TEST(KnownProtobufItemsTest, NobodyIsAskedWhoKnowsNothing) {
  Knower sink;
  sink.knows = false;
  ProtobufListReader reader({}, sink);
  reader.feed(list(item("7"))).value();
  EXPECT_EQ(values(sink), std::vector<std::string>{"v"});
  EXPECT_TRUE(sink.asked.empty());
}

TEST(KnownProtobufItemsTest, OfAWatchOnlyWhatIsAddedMayBeKnown) {
  Knower sink;
  ProtobufWatchReader reader({}, sink);
  const auto object = to_protobuf(meta::object_from_json(item("7"))).value();
  reader.feed(protobuf_watch_frame("ADDED", object)).value();
  reader.feed(protobuf_watch_frame("MODIFIED", object)).value();
  EXPECT_EQ(values(sink), (std::vector<std::string>{"the known one", "v"}));
}

}  // namespace
}  // namespace kubexx::codec
