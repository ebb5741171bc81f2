// service_resolver_test: the resolver on an embedded API server.
#include <algorithm>
#include <iostream>
#include <mutex>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/meta/yaml.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "resolver.hpp"

using namespace kubexx;
using namespace service_resolver;
using api::core::v1::Service;
using api::discovery::v1::EndpointSlice;

namespace {

int failures = 0;

void expect(bool met, const char* claim) {
  std::cout << (met ? "ok      " : "FAILED  ") << claim << '\n';
  if (!met) ++failures;
}

meta::Object service(const std::string& uid) {
  return meta::object_from_yaml("{apiVersion: v1, kind: Service, metadata: {name: shop, namespace: default, uid: " +
                                uid + "}, spec: {ports: [{name: http, port: 80}]}}");
}

/// `endpoints`: YAML of the list; `owner`: the uid of a Service, or empty.
meta::Object slice(const std::string& name, const std::string& owner, int port, const std::string& endpoints,
                   const std::string& type = "IPv4") {
  const auto reference = "[{apiVersion: v1, kind: Service, name: shop, controller: true, uid: " + owner + "}]";
  return meta::object_from_yaml("{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: " + type +
                                ", metadata: {name: " + name +
                                ", namespace: default, labels: {kubernetes.io/service-name: shop}, ownerReferences: " +
                                (owner.empty() ? "[]" : reference) +
                                "}, ports: [{name: metrics, port: 9090}, {name: http, port: " + std::to_string(port) +
                                "}], endpoints: " + endpoints + "}");
}

std::string text_of(const Endpoints& endpoints) {
  std::string text;
  for (const auto& endpoint : endpoints) text += (text.empty() ? "" : " ") + endpoint.target();
  return text;
}

/// One after the other: a server, what is on it, and a resolver.
struct World {
  explicit World(Question asked = {.service = "shop", .port = "http"})
      : resolver(testkit::client(server), std::move(asked), [this](const Difference& difference, const Endpoints&) {
          const std::lock_guard lock(mutex);
          told.push_back(std::string("+").append(text_of(difference.added)) + " ~" + text_of(difference.changed) +
                         " -" + text_of(difference.removed));
        }) {}
  void put(const meta::Object& object) { expect(server.seed(object).has_value(), "the server takes an object"); }
  bool becomes(const std::string& text) {
    return testkit::eventually([&] { return text_of(*resolver.endpoints()) == text; });
  }
  bool was_told(const std::string& line) {
    return testkit::eventually([&] {
      const std::lock_guard lock(mutex);
      return std::find(told.begin(), told.end(), line) != told.end();
    });
  }

  apiserver::Server server{apiserver::Options{.garbage_collection = false}};  // the tests remove slices themselves
  std::mutex mutex;
  std::vector<std::string> told;  // guarded by mutex
  Resolver resolver;
};

void slices_are_one_list() {
  World world;
  world.put(service("one"));
  world.put(slice("a", "one", 8080, "[{addresses: [10.0.0.2], zone: east}, {addresses: [10.0.0.1]}]"));
  world.put(slice("b", "one", 8081, "[{addresses: [10.0.0.3], conditions: {ready: false}}]"));
  expect(world.resolver.start().has_value(), "it starts");
  expect(world.becomes("10.0.0.1:8080 10.0.0.2:8080"), "slices are one sorted list, without those that are not ready");
  expect(world.was_told("+10.0.0.1:8080 10.0.0.2:8080 ~ -"), "the listener hears the first list at once");

  world.put(slice("b", "one", 8081, "[{addresses: [10.0.0.3]}]"));
  expect(world.was_told("+10.0.0.3:8081 ~ -"), "one that becomes ready is added, with the port of its own slice");
  world.put(slice("c", "one", 8080, "[{addresses: [10.0.0.1], conditions: {ready: false}}, {addresses: [10.0.0.4]}]"));
  expect(world.becomes("10.0.0.1:8080 10.0.0.2:8080 10.0.0.3:8081 10.0.0.4:8080"),
         "an address in two slices is there once, as the one says that calls it ready");
  expect(world.server.remove<EndpointSlice>(meta::ObjectKey{"default", "a"}).has_value(), "a slice goes");
  expect(world.was_told("+ ~ -10.0.0.1:8080 10.0.0.2:8080"),
         "its addresses go, and so does what the other calls not ready");
  world.put(slice("b", "one", 8081, "[{addresses: [10.0.0.3], zone: west}]"));
  expect(world.was_told("+ ~10.0.0.3:8081 -"), "another zone is a change");
}

void a_service_is_made_anew() {
  World world;
  world.put(service("one"));
  world.put(slice("old", "one", 80, "[{addresses: [10.0.0.1]}]"));
  world.put(slice("by-hand", "", 80, "[{addresses: [10.0.0.9]}]"));
  expect(world.resolver.start().has_value(), "it starts");
  expect(world.becomes("10.0.0.1:80 10.0.0.9:80"), "slices of the service and slices without an owner count");
  expect(world.server.remove<Service>(meta::ObjectKey{"default", "shop"}).has_value(), "the service is deleted");
  expect(world.becomes(""), "it has no addresses then, whatever slices are left");
  world.put(service("two"));
  world.put(slice("new", "two", 80, "[{addresses: [10.0.0.2]}]"));
  expect(world.becomes("10.0.0.2:80 10.0.0.9:80"), "one of the same name does not inherit those of the old one");
}

void zones_and_ends() {
  World world({.service = "shop", .port = "http", .zone = "east"});
  world.put(service("one"));
  const std::string east = "{addresses: [10.0.0.1], zone: east, hints: {forZones: [{name: east}]}}";
  const std::string west = "{addresses: [10.0.0.2], zone: west, hints: {forZones: [{name: west}]}}";
  world.put(slice("a", "one", 80, "[" + east + ", " + west + "]"));
  expect(world.resolver.start().has_value(), "it starts");
  expect(world.becomes("10.0.0.1:80"), "hints choose the own zone");
  world.put(slice("a", "one", 80, "[" + east + ", {addresses: [10.0.0.2], zone: west}]"));
  expect(world.becomes("10.0.0.1:80 10.0.0.2:80"), "unless an address has none");
  world.put(slice("a", "one", 80, "[" + west + "]"));
  expect(world.becomes("10.0.0.2:80"), "or nobody is there for the own zone");
  world.put(slice("a", "one", 80,
                  "[{addresses: [10.0.0.1], conditions: {ready: false, serving: true, terminating: true}}, "
                  "{addresses: [10.0.0.2], conditions: {ready: false, serving: false, terminating: true}}]"));
  expect(world.becomes("10.0.0.1:80"), "where nobody is ready, one that ends and still serves is taken");
  world.put(slice("a6", "one", 80, "[{addresses: ['fd00::1']}]", "IPv6"));
  expect(world.becomes("[fd00::1]:80"), "and not any more when somebody is");
}

void the_server_is_away() {
  World world;
  world.put(service("one"));
  world.put(slice("a", "one", 80, "[{addresses: [10.0.0.1]}]"));
  expect(world.resolver.start().has_value(), "it starts");
  expect(world.becomes("10.0.0.1:80"), "there is an address");
  {
    const auto outage = world.server.refuse_connections();
    world.put(slice("a", "one", 80, "[{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}]"));
    expect(text_of(*world.resolver.endpoints()) == "10.0.0.1:80", "without a server the list stays");
  }
  expect(world.becomes("10.0.0.1:80 10.0.0.2:80"), "and catches up");
}

}  // namespace

int main() {
  slices_are_one_list();
  a_service_is_made_anew();
  zones_and_ends();
  the_server_is_away();
  return failures == 0 ? 0 : 1;
}
