#include "apiserver/storage/filter.hpp"

#include <gtest/gtest.h>

#include <string>

#include "apiserver/schema/crd.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

Resource resource(const std::string& plural, bool namespaced = true) {
  Resource out;
  out.version = "v1";
  out.resource = plural;
  out.namespaced = namespaced;
  return out;
}

Result<Filter> filter(const Resource& of, const std::string& labels, const std::string& fields,
                      std::string_view name = {}) {
  meta::ListOptions options;
  options.label_selector = labels;
  options.field_selector = fields;
  return Filter::make(of, "ns", name, options);
}

TEST(FilterTest, SelectsByLabelsAndFields) {
  const meta::Object pod =
      meta::parse_json(R"({"metadata":{"name":"a","namespace":"ns","labels":{"app":"web","n":"3"}},)"
                       R"("spec":{"nodeName":"n1","hostNetwork":true},"status":{"phase":"Running"}})")
          .value();
  struct Case {
    const char* labels;
    const char* fields;
    bool matches;
  };
  const Case cases[] = {
      {"", "", true},
      {"app=web", "", true},
      {"app==web,n", "", true},
      {"app!=web", "", false},
      {"app in (a,web,z)", "", true},
      {"app in (a,b,c)", "", false},
      {"app notin (a,b)", "", true},
      {"!app", "", false},
      {"!other", "", true},
      {"n>2,n<4", "", true},
      {"n>3", "", false},
      {"", "metadata.name=a", true},
      {"", "metadata.name!=a", false},
      {"", "metadata.namespace=ns,spec.nodeName=n1", true},
      {"", "status.phase=Pending", false},
      {"", "spec.hostNetwork=true", true},
      {"", "spec.schedulerName=", true},
      {"app=web", "status.phase=Pending", false},
  };
  for (const Case& each : cases) {
    const auto made = filter(resource("pods"), each.labels, each.fields);
    ASSERT_TRUE(made.has_value()) << each.labels << each.fields;
    EXPECT_EQ(made->matches(pod), each.matches) << each.labels << each.fields;
  }
  EXPECT_FALSE(filter(resource("pods"), "", "", "b")->matches(pod));
  EXPECT_TRUE(filter(resource("pods"), "", "", "a")->matches(pod));
}

TEST(FilterTest, LooksAtTheKeysOfItsNamespaceOnly) {
  const auto made = filter(resource("pods"), "", "");
  EXPECT_EQ(made->prefix(), "ns/");
  EXPECT_TRUE(made->matches_key("ns/a"));
  EXPECT_FALSE(made->matches_key("ns2/a"));
  EXPECT_TRUE(Filter::make(resource("pods"), "", "", {})->matches_key("ns2/a"));
}

TEST(FilterTest, IsSelectiveOnceItHasASelectorOrAName) {
  EXPECT_FALSE(filter(resource("pods"), "", "")->selective());
  EXPECT_TRUE(filter(resource("pods"), "a", "")->selective());
  EXPECT_TRUE(filter(resource("pods"), "", "metadata.name=a")->selective());
  EXPECT_TRUE(filter(resource("pods"), "", "", "a")->selective());
}

TEST(FilterTest, RefusesWhatCannotBeSelectedBy) {
  for (const char* labels : {"a=b=c", "a in", "a in (b", "-a=b", "a=-b-"}) {
    const auto made = filter(resource("pods"), labels, "");
    ASSERT_FALSE(made.has_value()) << labels;
    EXPECT_EQ(made.error().code(), 400) << labels;
  }
  for (const char* fields : {"spec.containers=x", "metadata.uid=x", "x", "=", "spec.type=x"}) {
    EXPECT_FALSE(filter(resource("pods"), "", fields).has_value()) << fields;
  }
  EXPECT_FALSE(filter(resource("nodes", false), "", "metadata.namespace=x").has_value());
}

TEST(FilterTest, CustomResourcesSelectByTheFieldsTheyName) {
  auto custom = std::make_shared<CustomVersion>();
  custom->selectable_fields = {"spec.color"};
  Resource foos = resource("foos");
  foos.custom = custom;
  const meta::Object foo = meta::parse_json(R"({"metadata":{"name":"a"},"spec":{"color":"red","size":1}})").value();

  EXPECT_TRUE(filter(foos, "", "spec.color=red")->matches(foo));
  EXPECT_FALSE(filter(foos, "", "spec.color=blue")->matches(foo));
  EXPECT_FALSE(filter(foos, "", "spec.size=1").has_value());
}

TEST(FilterTest, MissingFieldsReadAsARealServerReadsThem) {
  struct Case {
    const char* object;
    const char* field;
    const char* text;
  };
  const Case cases[] = {
      {R"({"spec":{}})", "spec.unschedulable", "false"},
      {R"({"spec":{"unschedulable":true}})", "spec.unschedulable", "true"},
      {"{}", "status.replicas", "0"},
      {R"({"status":{"succeeded":2}})", "status.successful", "2"},
      {"{}", "status.successful", "0"},
      {R"({"reportingComponent":"r"})", "source", "r"},
      {R"({"source":{"component":"c"},"reportingComponent":"r"})", "source", "c"},
      {R"({"spec":[1]})", "spec.nodeName", ""},
  };
  for (const Case& each : cases)
    EXPECT_EQ(field_text(meta::parse_json(each.object).value(), each.field), each.text) << each.object;
}

}  // namespace
}  // namespace kubexx::apiserver
