#include "kubexx/codec/schema_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace {

TEST(SchemaTextTest, IsTheFileOfTheSourceTree) {
  std::ifstream file(KUBEXX_SOURCE_DIR "/schema/kubernetes-1.36.json", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());

  EXPECT_FALSE(text.empty());
  EXPECT_EQ(kubexx::codec::schema_json(), text);
}

}  // namespace
