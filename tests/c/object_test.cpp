#include "c/c_server.hpp"

namespace kubexx::c_test {
namespace {

constexpr std::string_view kPod =
    R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1","resourceVersion":"7","labels":{"app":"web","a/b":"c"}},)"
    R"("spec":{"replicas":3,"ratio":0.5,"paused":true,"none":null,"containers":[{"image":"x:1"}]}})";

class CObjectTest : public ::testing::Test {
 protected:
  CObjectTest() {
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_object_parse(kPod.data(), kPod.size(), &object_, &error), error));
  }
  ~CObjectTest() override { kubexx_object_free(object_); }
  kubexx_object* object_ = nullptr;
};

TEST_F(CObjectTest, FieldsAreReadByTheirPointer) {
  kubexx_view image{};
  std::int64_t replicas = 0;
  double ratio = 0;
  int paused = 0;

  EXPECT_EQ(kubexx_object_string(object_, "/spec/containers/0/image", &image), KUBEXX_OK);
  EXPECT_EQ(kubexx_object_int(object_, "/spec/replicas", &replicas), KUBEXX_OK);
  EXPECT_EQ(kubexx_object_double(object_, "/spec/ratio", &ratio), KUBEXX_OK);
  EXPECT_EQ(kubexx_object_bool(object_, "/spec/paused", &paused), KUBEXX_OK);

  EXPECT_EQ(text(image), "x:1");
  EXPECT_EQ(replicas, 3);
  EXPECT_EQ(ratio, 0.5);
  EXPECT_EQ(paused, 1);
}

TEST_F(CObjectTest, AFieldOfAnotherTypeAndOneThatIsNotThereDiffer) {
  kubexx_view view{};

  EXPECT_EQ(kubexx_object_string(object_, "/spec/replicas", &view), KUBEXX_WRONG_TYPE);
  EXPECT_EQ(kubexx_object_string(object_, "/spec/nothing", &view), KUBEXX_NOT_FOUND);
  EXPECT_EQ(kubexx_object_type(object_, "/spec/none"), KUBEXX_NULL);
  EXPECT_EQ(kubexx_object_type(object_, "/spec/nothing"), KUBEXX_ABSENT);
  EXPECT_EQ(kubexx_object_type(object_, "/spec/containers"), KUBEXX_LIST);
}

TEST_F(CObjectTest, MapsAndListsAreWalkedByPlace) {
  std::size_t size = 0;
  kubexx_view key{};

  EXPECT_EQ(kubexx_object_size(object_, "/metadata/labels", &size), KUBEXX_OK);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(kubexx_object_key_at(object_, "/metadata/labels", 1, &key), KUBEXX_OK);
  EXPECT_EQ(text(key), "a/b");
  EXPECT_EQ(kubexx_object_key_at(object_, "/metadata/labels", 2, &key), KUBEXX_NOT_FOUND);
  EXPECT_EQ(kubexx_object_key_at(object_, "/spec/containers", 0, &key), KUBEXX_WRONG_TYPE);
  EXPECT_EQ(kubexx_object_size(object_, "/spec/replicas", &size), KUBEXX_WRONG_TYPE);
}

TEST_F(CObjectTest, ItsMetadataHasShortWays) {
  EXPECT_EQ(text(kubexx_object_name(object_)), "web");
  EXPECT_EQ(text(kubexx_object_namespace(object_)), "shop");
  EXPECT_EQ(text(kubexx_object_uid(object_)), "u-1");
  EXPECT_EQ(text(kubexx_object_resource_version(object_)), "7");
}

TEST_F(CObjectTest, AReferenceOutlivesTheHandleItWasMadeOf) {
  kubexx_object* copy = nullptr;
  ASSERT_TRUE(ok(kubexx_object_ref(object_, &copy, nullptr)));

  kubexx_object_free(std::exchange(object_, nullptr));

  char* json = nullptr;
  std::size_t size = 0;
  ASSERT_TRUE(ok(kubexx_object_json(copy, "/spec/containers", &json, &size, nullptr)));
  EXPECT_EQ(size, 17u);
  EXPECT_EQ(taken(json), R"([{"image":"x:1"}])");
  kubexx_object_free(copy);
}

TEST_F(CObjectTest, JsonOfAFieldThatIsNotThereIsAnError) {
  char* json = nullptr;
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_object_json(object_, "/nothing", &json, nullptr, &error), error);

  EXPECT_EQ(why.status, KUBEXX_NOT_FOUND);
  EXPECT_EQ(why.message, "there is no field /nothing");
}

TEST(CObjectTextTest, TextThatIsNoJsonSaysWhere) {
  kubexx_object* object = nullptr;
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_object_parse("{\"a\":", 5, &object, &error), error);

  EXPECT_EQ(why.status, KUBEXX_DECODE);
  EXPECT_FALSE(why.message.empty());
  EXPECT_EQ(kubexx_object_parse(nullptr, 0, &object, nullptr), KUBEXX_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace kubexx::c_test
