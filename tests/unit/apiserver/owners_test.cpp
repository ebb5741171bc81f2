#include "apiserver/controllers/owners.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

class OwnersTest : public ::testing::Test {
 protected:
  static meta::Object object(const std::string& uid, const std::string& owner) {
    const std::string references = owner.empty() ? "" : R"(,"ownerReferences":[{"uid":")" + owner + R"("}])";
    return meta::parse_json(R"({"metadata":{"uid":")" + uid + '"' + references + "}}").value();
  }
  bool write(const std::string& uid, const std::string& owner, const meta::Object& previous = {}) {
    return note(meta::WatchEventType::Added, uid, object(uid, owner), previous);
  }
  bool note(meta::WatchEventType type, const std::string& uid, const meta::Object& state,
            const meta::Object& previous) {
    Event event;
    event.type = type;
    event.key = uid;
    event.object = state;
    event.previous = previous;
    event.bucket = &bucket;
    return owners.note(event);
  }

  Bucket bucket;
  Owners owners;
};

TEST_F(OwnersTest, KnowWhoDependsOnWhom) {
  EXPECT_TRUE(write("owner", ""));
  EXPECT_TRUE(write("child", "owner"));
  EXPECT_TRUE(owners.has_dependents("owner"));
  ASSERT_EQ(owners.dependents("owner").size(), 1u);
  EXPECT_EQ(owners.dependents("owner").begin()->key, "child");
}

TEST_F(OwnersTest, TellWhenAnOwnerIsNotThere) {
  EXPECT_FALSE(write("child", "owner"));
  EXPECT_EQ(owners.find("owner"), nullptr);
  ASSERT_NE(owners.find("child"), nullptr);
}

TEST_F(OwnersTest, FollowAChangeOfOwner) {
  write("a", "");
  write("b", "");
  write("child", "a");
  write("child", "b", object("child", "a"));
  EXPECT_FALSE(owners.has_dependents("a"));
  EXPECT_TRUE(owners.has_dependents("b"));
}

TEST_F(OwnersTest, ForgetWhatIsDeleted) {
  write("owner", "");
  write("child", "owner");
  note(meta::WatchEventType::Deleted, "child", object("child", "owner"), object("child", "owner"));
  EXPECT_FALSE(owners.has_dependents("owner"));
  EXPECT_EQ(owners.find("child"), nullptr);
}

}  // namespace
}  // namespace kubexx::apiserver
