#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/wire.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/meta/draft.hpp"
#include "unit/client/fake_client.hpp"

namespace kubexx::client {
namespace {

std::string field(std::uint32_t number, std::string_view bytes) {
  std::string out;
  codec::append_bytes(out, number, bytes);
  return out;
}

// A pod from a server that knows a field of its spec that this schema does not.
meta::Object newer_pod() {
  const std::string pod = field(1, field(1, "a") + field(3, "ns")) + field(2, field(999, "new"));
  const std::string type = field(1, "v1") + field(2, "Pod");
  return codec::parse_protobuf(std::string(codec::kMagic) + field(1, type) + field(2, pod)).value();
}

TEST(UnknownFieldsTest, AnUpdateThatWouldLoseAFieldIsRefusedAndSaysWhich) {
  FakeClient fake;
  meta::Draft draft = newer_pod().edit();
  draft["spec"]["nodeName"].set("n");

  for (const meta::Object& object : {newer_pod(), draft.to_object()}) {
    const auto updated = fake.pods().update(object);

    ASSERT_FALSE(updated.has_value());
    EXPECT_THAT(updated.error().message(), testing::HasSubstr("unknown field 999 of core.v1.PodSpec"));
  }
  EXPECT_TRUE(fake.transport->requests.empty());
}

TEST(UnknownFieldsTest, ACreateAndAnApplyThatWouldLoseAFieldAreRefusedToo) {
  FakeClient fake;

  EXPECT_FALSE(fake.pods().create(newer_pod()));
  EXPECT_FALSE(fake.pods().apply(newer_pod(), {.field_manager = "me"}));

  EXPECT_TRUE(fake.transport->requests.empty());
}

}  // namespace
}  // namespace kubexx::client
