#include "kubexx/meta/draft.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

constexpr std::string_view kText =
    R"({"kind":"Pod","spec":{"replicas":1,"list":[1,{"a":"b"},3],"x-unknown":{"keep":true}}})";

TEST(DraftTest, ReadsLikeItsOriginal) {
  const Object object = object_from_json(kText);
  const Draft draft = object.edit();
  EXPECT_EQ(draft["spec"]["replicas"].get_int(), 1);
  EXPECT_EQ(draft.at("/spec/list/1/a").string(), "b");
  EXPECT_EQ(draft["spec"]["list"].size(), 3U);
  EXPECT_EQ(draft["spec"].keys(), (std::vector<std::string>{"replicas", "list", "x-unknown"}));
  EXPECT_FALSE(draft["spec"]["missing"]["deeper"].exists());
  EXPECT_FALSE(draft["kind"]["below a string"].exists());
  EXPECT_FALSE(draft["spec"]["list"][7].exists());
  EXPECT_FALSE(draft.changed());
  EXPECT_EQ(draft.to_object(), object);
  EXPECT_EQ(draft["spec"].size(), 3U);
}

TEST(DraftTest, AnUntouchedDraftGivesBackTheSameDocument) {
  const Object object = object_from_json(kText);
  EXPECT_TRUE(object.edit().to_object().same_document(object));
}

TEST(DraftTest, ChangesKeepUnknownFieldsAndTheOriginal) {
  const Object object = object_from_json(kText);
  const Draft draft = object.edit();
  draft["spec"]["replicas"].set(5);
  draft["spec"]["list"][1]["a"].set("changed");
  draft["spec"]["list"].append(true);
  draft["status"]["phase"].set("Running");
  EXPECT_TRUE(draft.changed());
  EXPECT_EQ(to_json(draft.to_object()),
            R"({"kind":"Pod","spec":{"replicas":5,"list":[1,{"a":"changed"},3,true],"x-unknown":{"keep":true}},)"
            R"("status":{"phase":"Running"}})");
  EXPECT_EQ(to_json(object), kText);
  EXPECT_TRUE(draft.original().same_document(object));
}

TEST(DraftTest, SettingAPlaceMakesTheMapsAboveIt) {
  const Draft draft;
  const DraftRef deep = draft["a"]["b"]["c"];
  EXPECT_FALSE(draft["a"].exists());
  EXPECT_EQ(to_json(draft.to_object()), "{}");
  deep.set(1.5);
  draft["a"]["list"].append()["name"].set("x");
  EXPECT_EQ(to_json(draft.to_object()), R"({"a":{"b":{"c":1.5},"list":[{"name":"x"}]}})");
}

TEST(DraftTest, SettingBelowAScalarOrAListReplacesIt) {
  const Draft draft = object_from_json(R"({"s":"text","l":[1,2],"m":{"k":1}})").edit();
  draft["s"]["x"].set(1);
  draft["l"]["x"].set(2);
  draft["m"].append(3);
  EXPECT_EQ(to_json(draft.to_object()), R"({"s":{"x":1},"l":{"x":2},"m":[3]})");
  draft["m"]["k2"].set(1);
  EXPECT_EQ(to_json(draft["m"].exists() ? draft.to_object()["m"] : Value()), R"({"k2":1})");
}

TEST(DraftTest, OldMembersDoNotComeBackAfterAPlaceChangedItsType) {
  const Draft draft = object_from_json(R"({"m":{"old":1}})").edit();
  const DraftRef old = draft["m"]["old"];
  draft["m"].set(5);
  EXPECT_FALSE(old.exists());
  draft["m"]["fresh"].set(2);
  EXPECT_EQ(to_json(draft.to_object()), R"({"m":{"fresh":2}})");
}

TEST(DraftTest, EraseRemovesMembersAndElements) {
  const Draft draft = object_from_json(R"({"a":1,"b":2,"l":[1,2,3]})").edit();
  draft["a"].erase();
  draft.root().erase("b");
  draft.root().erase("never there");
  const DraftRef second = draft["l"][1];
  second.erase();
  second.set("written into nothing");
  EXPECT_EQ(to_json(draft.to_object()), R"({"l":[1,3]})");
  draft["a"].set("again");
  EXPECT_EQ(to_json(draft.to_object()), R"({"l":[1,3],"a":"again"})");
}

TEST(DraftTest, ClearKeepsTheType) {
  const Draft draft = object_from_json(R"({"m":{"a":1},"l":[1],"s":"x"})").edit();
  draft["m"].clear();
  draft["l"].clear();
  draft["s"].clear();
  EXPECT_EQ(to_json(draft.to_object()), R"({"m":{},"l":[],"s":"x"})");
}

TEST(DraftTest, SetMapAndSetListKeepWhatIsAlreadyOne) {
  const Draft draft = object_from_json(R"({"m":{"a":1},"s":"x"})").edit();
  draft["m"].set_map();
  draft["s"].set_list();
  draft["n"].set_null();
  EXPECT_EQ(to_json(draft.to_object()), R"({"m":{"a":1},"s":[],"n":null})");
}

TEST(DraftTest, ValuesAndOtherPlacesAreCopiedDeeply) {
  const Draft draft;
  {
    const Object source = object_from_json(R"({"deep":{"l":[1,2]}})");
    draft["copy"].set(source["deep"]);
  }
  draft["again"].set(draft["copy"]["l"]);
  draft["copy"]["l"][0].set(9);
  EXPECT_EQ(to_json(draft.to_object()), R"({"copy":{"l":[9,2]},"again":[1,2]})");
  draft["self"].set(draft.root());
  EXPECT_EQ(draft["self"]["again"][1].get_int(), 2);
  draft["copy"].set(Value());
  draft["again"].set(draft["nowhere"]);
  EXPECT_EQ(draft.root().keys(), (std::vector<std::string>{"self"}));
}

TEST(DraftTest, AStringMayBeSetToItsOwnPart) {
  const Draft draft;
  draft["s"].set("a long enough string to live on the heap, certainly");
  draft["s"].set(draft["s"].string().substr(2));
  EXPECT_EQ(draft["s"].string(), "long enough string to live on the heap, certainly");
}

TEST(DraftTest, ADashInAPointerIsTheNextElement) {
  const Draft draft = object_from_json(R"({"l":[1]})").edit();
  draft.at("/l/-").set(2);
  EXPECT_FALSE(draft.at("/l/5").exists());
  draft.at("/l/5").set("ignored");
  draft.at("no pointer").set("ignored");
  EXPECT_EQ(to_json(draft.to_object()), R"({"l":[1,2]})");
}

TEST(DraftTest, AClonedDraftGoesItsOwnWay) {
  const Draft draft = object_from_json(R"({"a":1})").edit();
  draft["a"].set(2);
  const Draft clone = draft.clone();
  clone["a"].set(3);
  EXPECT_EQ(draft["a"].get_int(), 2);
  EXPECT_EQ(clone.merge_patch(), R"({"a":3})");
}

TEST(DraftTest, ACutObjectStaysMarkedThroughItsDraft) {
  const Object cut =
      parse_json(R"({"metadata":{"name":"a"},"spec":{}})", {.projection = Projection::metadata_only()}).value();
  const Draft draft = cut.edit();
  draft["metadata"]["name"].set("b");
  EXPECT_EQ(draft.to_object().completeness(), Completeness::MetadataOnly);
  EXPECT_EQ(draft.to_object().projection_name(), "metadata only");
}

TEST(DraftTest, NumbersReadAcrossTypes) {
  const Draft draft;
  draft["i"].set(std::int64_t{7});
  draft["d"].set(7.0);
  draft["h"].set(7.5);
  EXPECT_EQ(draft["i"].get_double(), 7.0);
  EXPECT_EQ(draft["d"].get_int(), 7);
  EXPECT_FALSE(draft["h"].get_int());
  EXPECT_FALSE(draft["h"].get_bool());
  EXPECT_EQ(to_json(draft.to_object()), R"({"i":7,"d":7.0,"h":7.5})");
}

TEST(DraftTest, NestingThatNoDocumentHoldsIsALengthError) {
  const Draft draft;
  DraftRef here = draft.root();
  for (int i = 0; i < 1001; ++i) here = here["a"];
  here.set(1);
  EXPECT_THROW(draft.to_object(), std::length_error);
}

}  // namespace
}  // namespace kubexx::meta
