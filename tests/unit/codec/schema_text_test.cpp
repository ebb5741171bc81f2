#include "kubexx/codec/schema_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/name.hpp"
#include "paths.hpp"

namespace {

TEST(SchemaTextTest, IsTheFileOfTheSourceTree) {
  std::ifstream file(KUBEXX_SOURCE_DIR "/schema/kubernetes-1.36.json", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());

  EXPECT_FALSE(text.empty());
  EXPECT_EQ(kubexx::codec::schema_json(), text);
}

// A name that is missing there works, but costs every object that has it.
TEST(SchemaTextTest, EveryFieldOfTheSchemaIsAmongTheNamesThatObjectsShare) {
  kubexx::meta::DecodeOptions options;
  options.max_bytes = kubexx::codec::schema_json().size();
  const auto schema = kubexx::meta::parse_json(kubexx::codec::schema_json(), options).value();

  std::size_t fields = 0;
  for (const auto& [type, description] : schema["types"].entries()) {
    for (const auto& [name, field] : description["fields"].entries()) {
      EXPECT_TRUE(kubexx::meta::find_name(name))
          << type << "." << name << " is not in src/meta/document/field_names.inc";
      ++fields;
    }
  }
  EXPECT_GT(fields, 3000U);
}

}  // namespace
