#include "kubexx/meta/validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexx::meta {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ValidationTest, AcceptsDnsLabels) {
  for (const std::string name : {"a", "0", "a-b", "a--b", "123-abc"}) {
    EXPECT_THAT(check_dns1123_label(name), IsEmpty()) << name;
  }
  EXPECT_THAT(check_dns1123_label(std::string(63, 'a')), IsEmpty());
}

TEST(ValidationTest, RefusesOtherDnsLabels) {
  for (const std::string name : {"", "-a", "a-", "A", "a_b", "a b", "\xc3\xa4"}) {
    EXPECT_THAT(check_dns1123_label(name), ElementsAre(HasSubstr("a lowercase RFC 1123 label"))) << name;
  }
  EXPECT_THAT(check_dns1123_label(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(check_dns1123_label("a.b"), ElementsAre("must not contain dots"));
}

TEST(ValidationTest, ChecksEveryPartOfASubdomain) {
  EXPECT_THAT(check_dns1123_subdomain("a.b-c.0"), IsEmpty());
  for (const std::string name : {"", ".", "a.", ".a", "a..b", "a.-b", "Not_Valid!"}) {
    EXPECT_FALSE(check_dns1123_subdomain(name).empty()) << name;
  }
  EXPECT_THAT(check_dns1123_subdomain(std::string(254, 'a')), ElementsAre("must be no more than 253 bytes"));
}

TEST(ValidationTest, UsesTheWordsOfTheApiServer) {  // recorded from Kubernetes 1.36
  EXPECT_THAT(
      check_dns1123_subdomain("Not_Valid!"),
      ElementsAre("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
                  "must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
                  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
  EXPECT_THAT(check_qualified_name("-bad"),
              ElementsAre("name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
                          "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
                          "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"));
  EXPECT_THAT(check_label_value("x y"),
              ElementsAre("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
                          "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
                          "'my_value',  or '12345', regex used for validation is "
                          "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
}

TEST(ValidationTest, ServicesStartWithALetter) {
  EXPECT_THAT(check_dns1035_label("a1"), IsEmpty());
  EXPECT_THAT(check_dns1035_label("1a"), ElementsAre(HasSubstr("start with an alphabetic character")));
  EXPECT_FALSE(check_dns1035_label("").empty());
}

TEST(ValidationTest, PathSegmentsExcludeOnlyWhatBreaksAUrl) {
  EXPECT_THAT(check_path_segment("system:node"), IsEmpty());
  EXPECT_THAT(check_path_segment(".."), ElementsAre("may not be '..'"));
  EXPECT_THAT(check_path_segment("a/b%"), ElementsAre("may not contain '/'", "may not contain '%'"));
}

TEST(ValidationTest, QualifiedNamesHaveAnOptionalDomainPrefix) {
  for (const std::string name : {"a", "A_b.c-D", "example.com/x", "a.b/C_d"}) {
    EXPECT_THAT(check_qualified_name(name), IsEmpty()) << name;
  }
  EXPECT_THAT(check_qualified_name("/x"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(check_qualified_name("A/x"), ElementsAre(HasSubstr("prefix part a lowercase RFC 1123 subdomain")));
  EXPECT_THAT(check_qualified_name("a/"), ElementsAre("name part must be non-empty", HasSubstr("name part must cons")));
  EXPECT_THAT(check_qualified_name("a/b/c"), ElementsAre(HasSubstr("with an optional DNS subdomain prefix and '/'")));
  EXPECT_THAT(check_qualified_name(std::string(64, 'a')), ElementsAre("name part must be no more than 63 bytes"));
}

TEST(ValidationTest, LabelValuesMayBeEmpty) {
  EXPECT_THAT(check_label_value(""), IsEmpty());
  EXPECT_THAT(check_label_value("a.B_c-9"), IsEmpty());
  EXPECT_FALSE(check_label_value("-").empty());
  EXPECT_THAT(check_label_value(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
}

TEST(ValidationTest, JoinsComplaintsWithSemicolons) {
  EXPECT_EQ(join_complaints({"a", "b"}), "a; b");
  EXPECT_EQ(join_complaints({}), "");
}

}  // namespace
}  // namespace kubexx::meta
