#include "kubexx/meta/object_builder.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

TEST(ObjectBuilderTest, WritesWhatItIsToldAndStartsAnewAfterFinish) {
  ObjectBuilder builder;
  for (int round = 0; round < 2; ++round) {
    builder.begin_map();
    builder.key("kind");
    builder.string("Pod");
    builder.key(*find_name("spec"));
    builder.begin_map();
    builder.key("list");
    builder.begin_list();
    builder.integer(1);
    builder.real(2.5);
    builder.boolean(true);
    builder.null();
    builder.begin_list();
    builder.end_list();
    builder.end_list();
    builder.end_map();
    builder.end_map();
    EXPECT_EQ(to_json(builder.finish().value()), R"({"kind":"Pod","spec":{"list":[1,2.5,true,null,[]]}})");
  }
}

TEST(ObjectBuilderTest, TheLastValueOfARepeatedKeyWinsAtTheFirstPlace) {
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"name", "kind"}, std::vector<std::string>{"x-one", "x-two"}}) {
    ObjectBuilder builder;
    builder.begin_map();
    for (int i = 0; i < 3; ++i) {
      for (const std::string& key : keys) {
        builder.key(key);
        builder.integer(i);
      }
    }
    builder.end_map();
    EXPECT_EQ(to_json(builder.finish().value()), "{\"" + keys[0] + "\":2,\"" + keys[1] + "\":2}");
  }
}

TEST(ObjectBuilderTest, RepeatedKeysOfALargeMapAreFound) {
  ObjectBuilder builder;
  builder.begin_map();
  for (int i = 0; i < 20000; ++i) {
    builder.key("k" + std::to_string((i * 7919) % 10000));
    builder.integer(i);
  }
  builder.end_map();
  const Object object = builder.finish().value();
  EXPECT_EQ(object.root().size(), 10000U);
  EXPECT_EQ(object["k0"].get_int(), 10000);
  EXPECT_EQ(object["k7919"].get_int(), 10001);
}

TEST(ObjectBuilderTest, CopiesValuesOfOtherDocuments) {
  const Object source = object_from_json(R"({"a":[1,{"b":"c","name":"n"}],"d":1.25,"e":9007199254740993})");
  ObjectBuilder builder;
  builder.begin_list();
  builder.copy(source.root());
  builder.copy(source["a"]);
  builder.copy(Value());
  builder.end_list();
  const Object copy = builder.finish().value();
  EXPECT_EQ(copy.root()[0], source.root());
  EXPECT_EQ(copy.root()[1], source["a"]);
  EXPECT_TRUE(copy.root()[2].is_null());
}

TEST(ObjectBuilderTest, NestingBeyondWhatReadersCanFollowIsAnError) {
  ObjectBuilder builder;
  for (int i = 0; i < 1001; ++i) builder.begin_list();
  for (int i = 0; i < 1001; ++i) builder.end_list();
  EXPECT_FALSE(builder.finish());

  for (int i = 0; i < 1000; ++i) builder.begin_list();
  for (int i = 0; i < 1000; ++i) builder.end_list();
  const auto deep = builder.finish();
  ASSERT_TRUE(deep);
  builder.begin_list();
  builder.copy(deep->root());
  builder.end_list();
  EXPECT_FALSE(builder.finish());
}

TEST(ObjectBuilderTest, ADocumentBeyondTheLayoutIsAnErrorAndTheBuilderRecovers) {
  ObjectBuilder builder;
  const std::string text(100 << 20, 'x');
  builder.begin_map();
  for (const char* key : {"first", "second", "third", "x-fourth"}) {
    builder.key(key);
    builder.string(text + key);
  }
  builder.end_map();
  const auto result = builder.finish();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "the object is larger than 256 MB");

  builder.string("small");
  EXPECT_EQ(builder.finish().value().root().string(), "small");
}

TEST(ObjectBuilderTest, CompletenessAndItsNameStayWithTheObject) {
  ObjectBuilder builder;
  builder.begin_map();
  builder.end_map();
  builder.set_completeness(Completeness::Transformed, "drop secrets");
  const Object cut = builder.finish().value();
  EXPECT_EQ(cut.completeness(), Completeness::Transformed);
  EXPECT_EQ(cut.projection_name(), "drop secrets");

  builder.null();
  const Object whole = builder.finish().value();
  EXPECT_EQ(whole.completeness(), Completeness::Full);
  EXPECT_EQ(whole.projection_name(), "");
}

}  // namespace
}  // namespace kubexx::meta
