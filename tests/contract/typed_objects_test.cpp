#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>

#include "contract/any_server.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"
#include "paths.hpp"

namespace kubexx::contract {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// What is left when the parts that no two objects share are gone.
meta::Object comparable(const meta::Object& object) {
  auto draft = object.edit();
  const auto metadata = draft["metadata"];
  for (const auto* field : {"resourceVersion", "creationTimestamp", "managedFields", "selfLink"}) metadata.erase(field);
  draft.root().erase("status");  // some controllers live in the server and write it at their own time
  auto text = meta::to_json(draft.to_object());
  replace_all(text, object.uid(), "UID");
  replace_all(text, object.name().substr(0, object.name().find('.')), "NAME");
  return meta::parse_json(text).value();
}

/// Objects inside an object lose apiVersion and kind on the protobuf wire.
meta::Object without_nested_kinds(const meta::Object& object) {
  auto draft = object.edit();
  const auto templates = draft.at("/spec/volumeClaimTemplates");
  for (std::size_t i = 0; i < templates.size(); ++i) {
    templates[i].erase("apiVersion");
    templates[i].erase("kind");
  }
  return draft.to_object();
}

std::string differences(const meta::Object& a, const meta::Object& b) {
  return ::testing::PrintToString(meta::diff_paths(a.root(), b.root()));
}

/// Where the two documents differ, but for zeros that JSON has in one version of Kubernetes and not in another:
/// protobuf has no zeros, and the schema says which of them JSON shows today.
std::vector<std::string> real_differences(const meta::Object& json, const meta::Object& protobuf) {
  auto paths = meta::diff_paths(json.root(), protobuf.root());
  std::erase_if(paths, [](const std::string& path) {
    const bool nested_metadata = path.ends_with("/metadata/creationTimestamp") && path != "/metadata/creationTimestamp";
    return nested_metadata || path == "/status/availableReplicas" || path == "/spec/parameters/scope";
  });
  return paths;
}

/// Objects of every kind that both this library's schema and the server know.
class TypedObjectsTest : public AnyServerTest {
 protected:
  void SetUp() override {
    AnyServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::ifstream file(std::string(KUBEXX_SOURCE_DIR) + "/tests/contract/data/objects.yaml", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    replace_all(text, "NAMESPACE", namespace_());
    const auto parsed = meta::parse_yaml_document(text);
    ASSERT_TRUE(parsed) << parsed.error();
    bodies_ = *parsed;
  }

  rest::Request request(const std::string& method, const client::ApiResource& resource, const std::string& name) const {
    rest::Request out;
    out.method = method;
    out.path.resource = resource.resource;
    if (resource.namespaced) out.path.namespace_ = namespace_();
    out.path.name = name;
    return out;
  }

  /// Absent: objects.yaml has none of this kind.
  std::optional<meta::Object> sample(const client::ApiResource& resource, const std::string& name) const {
    const auto gvk = resource.gvk();
    auto body = bodies_[gvk.api_version() + " " + gvk.kind];
    if (!body.exists()) body = bodies_[gvk.kind];
    if (!body.exists()) return std::nullopt;
    meta::Draft draft;
    for (const auto& [key, value] : body.entries()) draft[key].set(value);
    draft["apiVersion"].set(gvk.api_version());
    draft["kind"].set(gvk.kind);
    draft["metadata"]["name"].set(name);
    if (resource.namespaced) draft["metadata"]["namespace"].set(namespace_());
    draft["metadata"]["labels"]["typed"].set("yes");
    draft["metadata"]["annotations"]["example.com/note"].set("a note, \"quoted\"");
    auto text = meta::to_json(draft.to_object());
    // The name of a definition is made of its resource and group.
    const auto dot = name.find('.');
    replace_all(text, "\"NAME\"", "\"" + name.substr(0, dot) + "\"");
    return meta::parse_json(text).value();
  }

  std::string name_for(const client::ApiResource& resource, const char* end) const {
    const auto name = namespace_() + end;
    if (resource.kind == "CustomResourceDefinition") return name + ".typed.example.com";
    if (resource.kind == "StorageVersion") return name + ".things";
    return name;
  }

  Result<meta::Object> get(const client::ApiResource& resource, const std::string& name, rest::Format format) const {
    auto asked = request("GET", resource, name);
    asked.format = format;
    auto answer = client().send(asked);
    if (!answer) return answer.error();
    const auto* type = answer->headers.find("content-type");
    const bool protobuf = type != nullptr && type->find("protobuf") != std::string::npos;
    EXPECT_EQ(protobuf, format == rest::Format::Protobuf) << (type ? *type : "no content type");
    return answer->object();
  }

  /// Creates the object by one encoding and reads it by both, which must be the same document.
  std::optional<meta::Object> round(const client::ApiResource& resource, const std::string& name, bool by_protobuf) {
    const auto object = *sample(resource, name);
    auto create = request("POST", resource, "");
    if (by_protobuf) {
      auto encoded = codec::to_protobuf(object);
      EXPECT_TRUE(encoded) << encoded.error();
      if (!encoded) return std::nullopt;
      create.body = std::move(*encoded);
      create.content_type = codec::kProtobufMediaType;
    } else {
      create.body = meta::to_json(object);
    }
    const auto created = client().send(create);
    EXPECT_TRUE(created) << created.error();
    if (!created) return std::nullopt;
    auto json = get(resource, name, rest::Format::Json);
    auto protobuf = get(resource, name, rest::Format::Protobuf);
    // Controllers inside the server write the status of some kinds: read until both are of one version.
    for (int i = 0; i < 20 && json && protobuf && json->resource_version() != protobuf->resource_version(); ++i) {
      json = get(resource, name, rest::Format::Json);
      protobuf = get(resource, name, rest::Format::Protobuf);
    }
    static_cast<void>(client().send(request("DELETE", resource, name)));
    EXPECT_TRUE(json) << json.error();
    EXPECT_TRUE(protobuf) << protobuf.error();
    if (!json || !protobuf) return std::nullopt;
    const auto expected = without_nested_kinds(*json);
    EXPECT_THAT(real_differences(expected, *protobuf), ::testing::IsEmpty());
    EXPECT_EQ(protobuf->completeness(), meta::Completeness::Full) << protobuf->projection_name();
    return comparable(*json);
  }

  meta::Object bodies_;
};
INSTANTIATE_TEST_SUITE_P(AnyServer, TypedObjectsTest, kAnyServer, server_name);

TEST_P(TypedObjectsTest, WrittenAsProtobufOrJsonAndReadAsJsonOrProtobufAnObjectIsTheSame) {
  const auto offered = client::discover(client());
  ASSERT_TRUE(offered) << offered.error();
  // Objects of these say what another server serves, or answer a question and are not stored.
  const std::set<std::string> others = {"APIService"};
  std::vector<std::string> without_sample;
  int compared = 0;
  for (const auto& resource : offered->resources) {
    if (!resource.can("create") || !resource.can("get") || codec::find_builtin(resource.resource) == nullptr) continue;
    if (!codec::has_protobuf(resource.gvk().api_version(), resource.kind) || others.contains(resource.kind)) continue;
    SCOPED_TRACE(resource.resource.api_version() + " " + resource.kind);
    if (!sample(resource, "x")) {
      without_sample.push_back(resource.resource.api_version() + " " + resource.kind);
      continue;
    }

    const auto by_protobuf = round(resource, name_for(resource, "-a"), true);
    const auto by_json = round(resource, name_for(resource, "-b"), false);

    ++compared;
    if (!by_protobuf || !by_json) continue;
    EXPECT_EQ(*by_protobuf, *by_json) << differences(*by_protobuf, *by_json);
  }
  RecordProperty("compared", compared);
  EXPECT_GE(compared, 45);
  // Every kind of 1.20 is compared; newer servers have kinds whose objects are not written down yet.
  if (minor_version() <= 20) {
    EXPECT_THAT(without_sample, ::testing::IsEmpty());
  }
}

}  // namespace
}  // namespace kubexx::contract
