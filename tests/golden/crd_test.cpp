#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "acme/operators.hpp"
#include "demo.hpp"
#include "kubexx/apiserver/server.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/yaml.hpp"
#include "kubexx/testkit/client.hpp"
#include "operators_a/v1.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "samplecontroller.hpp"
#include "texts.hpp"

namespace kubexx {
namespace {

void install(const apiserver::Server& server, const std::string& file) {
  std::ifstream in(std::string(KUBEXX_SOURCE_DIR "/tests/golden/input/") + file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const client::ResourceApi crds(testkit::client(server), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  const auto definitions = meta::parse_yaml(text).value();
  for (const auto& definition : definitions) {
    const auto created = crds.create(definition);
    ASSERT_TRUE(created) << created.error().message();
  }
}

TEST(CustomResourceTest, ItsClientAndInformerWorkAgainstTheEmbeddedServer) {
  apiserver::Server server;
  install(server, "foo.yaml");
  const auto shared = testkit::client(server);
  const samplecontroller::Clientset clientset(shared);
  samplecontroller::v1alpha1::FooDraft draft;
  draft.metadata().set_name("example");
  draft.spec().set_deployment_name("web");
  draft.spec().set_replicas(2);
  const auto foos = clientset.samplecontroller().v1alpha1().foos("default");
  const auto created = foos.create(draft);
  ASSERT_TRUE(created) << created.error().message();

  informer::SharedInformerFactory factory(shared);
  const auto foos_resource = informer::resource_of<samplecontroller::v1alpha1::Foo>();
  EXPECT_FALSE(factory.for_resource(foos_resource));
  const auto informer = samplecontroller::Informers(factory).samplecontroller().v1alpha1().foos();
  const auto same = factory.informer_for<samplecontroller::v1alpha1::Foo>();
  const auto lister = informer.lister();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync());

  const auto cached = lister.foos("default").get("example");
  ASSERT_TRUE(cached) << cached.error().message();
  EXPECT_EQ(cached->spec().deployment_name(), "web");
  EXPECT_EQ(cached->spec().replicas(), 2);
  EXPECT_EQ(same.shared(), informer.shared());
  EXPECT_EQ(factory.for_resource(foos_resource).value().shared(), informer.shared());
  EXPECT_EQ(factory.lease(foos_resource).value().informer().shared(), informer.shared());

  auto next = cached->edit();
  next.status().set_available_replicas(1);
  const auto saved = foos.update_status(next);
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->status().available_replicas(), 1);
}

TEST(CustomResourceTest, EveryKindOfFieldIsWrittenAndRead) {
  demo::v1::GadgetDraft draft;
  draft.spec().set_class_(demo::v1::GadgetSpec::kClassExtraLarge);
  draft.spec().set_replicas(demo::v1::GadgetSpec::kDefaultReplicas);
  draft.spec().set_port("http");
  draft.spec().labels().set("a", "b");
  draft.spec().pod_ips().append("10.0.0.1");
  draft.spec().zones()["north"].set_weight(4);
  draft.spec().template_().containers().append().env().append().set_value("v");
  draft.spec().anything()["deep"]["er"].set(1);

  const auto gadget = draft.to_object();

  EXPECT_EQ(gadget.spec().class_(), "extra-large");
  EXPECT_EQ(gadget.spec().replicas(), 3);
  EXPECT_TRUE(gadget.spec().port().is_string());
  EXPECT_EQ(gadget.spec().port().text(), "http");
  EXPECT_EQ(gadget.spec().labels()["a"], "b");
  EXPECT_EQ(gadget.spec().pod_ips()[0], "10.0.0.1");
  EXPECT_EQ(gadget.spec().zones()["north"].weight(), 4);
  EXPECT_EQ(gadget.spec().template_().containers()[0].env()[0].value(), "v");
  EXPECT_EQ(gadget.spec().anything()["deep"]["er"].int_or(0), 1);
  EXPECT_FALSE(gadget.spec().has_ratio());
  EXPECT_FALSE(demo::v1::Gadget::kResource.namespaced);
  EXPECT_EQ(demo::v1beta1::Gadget::kResource.version, "v1beta1");
}

TEST(CustomResourceTest, SeveralKindsOfAGroupShareItsAccessors) {
  apiserver::Server server;
  install(server, "platform.yaml");
  informer::SharedInformerFactory factory(testkit::client(server));
  const auto v1 = platform::Informers(factory).platform().v1();
  const auto pipelines = v1.pipelines();
  const auto policies = v1.policies();
  const platform::Clientset clientset(testkit::client(server));
  platform::v1::PipelineDraft draft;
  draft.metadata().set_name("build");
  draft.spec().set_namespace_("a");
  draft.spec().set_operator_("b");
  draft.spec().set_foo_bar("c");
  draft.spec().set_foo_bar_("d");
  auto stage = draft.spec().stages().append();
  stage.set_timeout(30);
  stage.matrix()["os"].append("linux");
  stage.when().all().append().values().append("x");
  ASSERT_TRUE(clientset.platform().v1().pipelines("default").create(draft));
  platform::v1::PolicyDraft policy;
  policy.metadata().set_name("strict");
  policy.spec().set_default_(true);
  ASSERT_TRUE(clientset.platform().v1().policies().create(policy));
  const auto pipeline_lister = pipelines.lister();
  const auto policy_lister = policies.lister();

  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync());

  const auto built = pipeline_lister.in_namespace("default").get("build").value();
  EXPECT_EQ(built["spec"]["foo-bar"].string(), "c");
  EXPECT_EQ(built["spec"]["fooBar"].string(), "d");
  EXPECT_EQ(built.spec().namespace_(), "a");
  EXPECT_EQ(built.spec().stages()[0].timeout().number(), 30);
  EXPECT_EQ(built.spec().stages()[0].matrix()["os"][0], "linux");
  EXPECT_EQ(built.spec().stages()[0].when().all()[0].values()[0], "x");
  EXPECT_EQ(platform::v1::PipelineStatus::kPhaseRunning, "Running");
  EXPECT_TRUE(policy_lister.get("strict").value().spec().default_());
}

TEST(CustomResourceTest, AFieldWithANameThatObjectsHaveDoesNotHideTheirs) {
  texts::v1::NoteDraft draft;
  draft.metadata().set_name("object");
  draft.metadata().set_namespace_("default");
  draft.set_name_("field");
  draft.set_namespace_2("elsewhere");
  draft.labels_().append("a");
  draft.set_generation_("third");

  const auto note = draft.to_object();

  EXPECT_EQ(note.name(), "object");
  EXPECT_EQ(note.name_(), "field");
  EXPECT_EQ(note["name"].string(), "field");
  EXPECT_EQ(note.namespace_(), "default");
  EXPECT_EQ(note.namespace_2(), "elsewhere");
  EXPECT_EQ(note.labels().size(), 0U);
  EXPECT_EQ(note.labels_().size(), 1U);
  EXPECT_EQ(note.generation(), 0);
  EXPECT_EQ(note.generation_(), "third");
}

TEST(CustomResourceTest, GroupsWithTheSameFirstLabelHaveTheNamespacesThatWereChosen) {
  EXPECT_EQ(operators_a::v1::Alpha::kResource.group, "operator.a.io");
  EXPECT_EQ(acme::operators::v1::Beta::kResource.group, "operator.b.io");
  apiserver::Server server;
  informer::DynamicSharedInformerFactory factory(testkit::client(server));
  EXPECT_TRUE(acme::operators::Informers(factory).operators().v1().betas().shared());
}

/// What kubexx-gen says, on both outputs, and how it ends.
std::string output_of(const std::string& arguments) {
  const auto command = std::string(KUBEXX_GEN) + " " + arguments + " 2>&1";
  std::string out;
  if (FILE* pipe = ::popen(command.c_str(), "r")) {
    char buffer[512];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) out += buffer;
    out += ::pclose(pipe) == 0 ? "[ok]" : "[failed]";
  }
  return out;
}

TEST(CustomResourceTest, GroupsThatWouldOverwriteEachOthersHeadersAreRefused) {
  const std::string both = "--crd " KUBEXX_SOURCE_DIR "/tests/golden/same_label/a.yaml " KUBEXX_SOURCE_DIR
                           "/tests/golden/same_label/b.yaml --list";
  for (const auto& arguments : {both, both + " --namespace one"}) {
    const auto said = output_of(arguments);
    EXPECT_NE(said.find("operator.a.io and operator.b.io"), std::string::npos) << said;
    EXPECT_NE(said.find("--namespace"), std::string::npos) << said;
    EXPECT_NE(said.find("[failed]"), std::string::npos) << said;
  }
}

TEST(CustomResourceTest, TheNameOfADefinitionCannotSpeakToTheTerminal) {
  std::string path = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
  close(mkstemp(path.data()));
  std::ofstream(path) << "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                         "metadata: {name: \"wrong\\e[31m\\x9b31m\\r\\x7fone\"}\nspec: {}\n";
  const auto said = output_of("--crd " + path + " --list");
  std::filesystem::remove(path);
  EXPECT_NE(said.find("wrong?[31m??31m??one"), std::string::npos) << said;
  EXPECT_NE(said.find("[failed]"), std::string::npos) << said;
}

TEST(CustomResourceTest, ANamespaceThatCannotBeOneIsRefused) {
  const std::string one = "--crd " KUBEXX_SOURCE_DIR "/tests/golden/same_label/a.yaml --list --namespace ";
  for (const auto* name : {"std", "kubexx::a", "a::", "a:b", "../a", "class", "a::namespace", "1a", "'a b'", "a__b"}) {
    const auto said = output_of(one + name);
    EXPECT_NE(said.find("is no namespace"), std::string::npos) << name << ": " << said;
    EXPECT_NE(said.find("[failed]"), std::string::npos) << said;
  }
}

TEST(CustomResourceTest, HeadersThatOnlyAnEarlierRunWroteAreRemoved) {
  const auto folder = std::filesystem::temp_directory_path() / ("kubexx_record_" + std::to_string(::getpid()));
  const auto out = " --out " + (folder / "out").string() + " --record " + (folder / "files").string();
  const std::string inputs = "--crd " KUBEXX_SOURCE_DIR "/tests/golden/same_label/";

  const auto first = output_of(inputs + "a.yaml --namespace before" + out);
  ASSERT_TRUE(std::filesystem::exists(folder / "out/before/v1.hpp")) << first;
  std::ofstream(folder / "out/before/mine.hpp") << "// not the generator's\n";
  output_of(inputs + "a.yaml --namespace after" + out);

  EXPECT_TRUE(std::filesystem::exists(folder / "out/after/v1.hpp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/before/v1.hpp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/before/mine.hpp"));
  std::filesystem::remove_all(folder);
}

std::string errors_of(const std::string& schema) {
  const auto folder = std::filesystem::temp_directory_path() / ("kubexx_crd_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "bad.yaml") << "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                                        "metadata: {name: bads.example.com}\nspec:\n  group: example.com\n"
                                        "  names: {kind: Bad, plural: bads}\n  versions:\n"
                                        "  - {name: v1, served: true, schema: {openAPIV3Schema: "
                                     << schema << "}}\n";
  auto out = output_of("--crd " + (folder / "bad.yaml").string() + " --list");
  std::filesystem::remove_all(folder);
  return out;
}

TEST(CustomResourceTest, SchemasThatCannotBeExpressedAreNamedByTheirPath) {
  const auto ref = errors_of("{type: object, properties: {spec: {type: object, properties: {a: {$ref: '#/x'}}}}}");
  EXPECT_NE(ref.find("spec.a: $ref"), std::string::npos) << ref;
  EXPECT_NE(ref.find("[failed]"), std::string::npos) << ref;
  const auto deep = errors_of(
      "{type: object, properties: {m: {type: array, items: {type: array, items: {type: array, items: {type: "
      "string}}}}}}");
  EXPECT_NE(deep.find("m[][]"), std::string::npos) << deep;
}

}  // namespace
}  // namespace kubexx
