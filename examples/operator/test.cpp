// greeting_operator_test CRD_FILE: the operator in this process, before a server that is late and fails now and then.
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

#include "hello/v1.hpp"
#include "kubexx/api/core/v1.hpp"
#include "kubexx/apiserver/server.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/yaml.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "program.hpp"

using namespace kubexx;
using hello::v1::Greeting;
using testkit::eventually;

namespace {

int failures = 0;

void expect(bool met, const char* claim) {
  std::cout << (met ? "ok      " : "FAILED  ") << claim << '\n';
  if (!met) ++failures;
}

bool install(const rest::Client& client, const char* file) {
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto documents = meta::parse_yaml(text);
  if (!documents || documents->empty()) return false;
  const client::ResourceApi definitions(client, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  if (!definitions.create(documents->front())) return false;
  return eventually([&] {
    const auto now = definitions.get(documents->front().name());
    return now && meta::is_condition_true(*now, "Established");
  });
}

}  // namespace

int main(int argc, char** argv) {
  apiserver::Server server;
  const auto client = testkit::client(server);
  if (argc != 2 || !install(client, argv[1])) return std::cerr << "the definition cannot be installed\n", 2;

  const auto late = server.core().delay_watches(std::chrono::milliseconds(20));
  const auto failing = server.core().add_fault({.verb = "patch", .share = 0.3, .times = 5, .status = 500});
  std::stop_source stop;
  Result<void> ended;
  std::jthread program([&] { ended = greeting_operator::run(client, {.name = "test"}, stop.get_token()); });

  const client::Api<Greeting> objects(client, "default");
  const client::Api<api::core::v1::ConfigMap> maps(client, "default");
  Greeting::Draft draft;
  draft.metadata().set_name("first");
  draft.metadata().set_namespace_("default");
  draft.spec().set_message("Hi");
  expect(objects.create(draft).has_value(), "it is created");
  expect(eventually([&] {
           const auto now = objects.get("first");
           return now && now->status().shown() == "Hi";
         }),
         "its status says what is shown");
  const auto shown = maps.get("default.first");
  expect(shown && shown->data()["message"] == "Hi", "it is shown");
  expect(objects.get("first").value().status().updates() == 1, "its status was written once");
  expect(objects.remove("first").has_value(), "it is removed");
  expect(eventually([&] { return !objects.get("first") && !maps.get("default.first"); }), "nothing is left of it");

  stop.request_stop();
  program.join();
  expect(ended.has_value(), "the program ends well");
  return failures == 0 ? 0 : 1;
}
