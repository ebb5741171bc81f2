#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::test {

/// Objects by path, with versions that writes must match: as much of an API server as leases and events need.
struct FakeStore {
  std::map<std::string, meta::Object> objects;
  std::int64_t version = 0;

  const meta::Object& put(const std::string& path, const meta::Object& object) {
    auto draft = object.edit();
    draft["metadata"]["resourceVersion"].set(std::to_string(++version));
    return objects[path] = draft.to_object();
  }
};

/// One program's way to a FakeStore, on a ManualExecutor. Requests can be answered otherwise, delayed, or lost.
class FakeApi final : public transport::Transport {
 public:
  struct Answer {
    int status = 200;
    std::string body{};
  };
  struct Sent {
    std::string method;
    std::string path;
    meta::Object body;
    TimePoint time;
  };

  FakeApi(std::shared_ptr<ManualExecutor> executor, std::shared_ptr<FakeStore> store)
      : executor_(std::move(executor)), store_(std::move(store)) {}

  std::vector<Sent> sent;
  std::function<std::optional<Answer>(const Sent&)> intercept{};
  bool unreachable = false;   ///< connections are refused
  bool silent = false;        ///< requests vanish
  Duration latency{};         ///< until the request reaches the store
  Duration answer_latency{};  ///< and the answer comes back

  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    auto url = request.url.substr(request.url.find('/', request.url.find("//") + 2));
    const auto path = url.substr(0, url.find('?'));
    meta::Object body;
    if (!request.body.empty()) body = meta::parse_json(request.body).value();
    sent.push_back({request.method, path, body, executor_->clock().now()});
    auto alive = std::make_shared<bool>(true);
    if (!silent) {
      const bool refused = unreachable;
      executor_->post_after(latency, [this, call = sent.back(), sink, alive, refused] {
        if (!*alive) return;
        if (refused) {
          const auto error = Error::transport(TransportFailure::Refused, "connection refused");
          return sink->on_end(&error);
        }
        auto answer = intercept ? intercept(call) : std::nullopt;
        if (!answer) answer = handle(call);
        executor_->post_after(answer_latency, [sink, alive, answer = *answer] {
          if (!*alive) return;
          sink->on_headers(answer.status, {{"Content-Type", "application/json"}});
          if (*alive) sink->on_data(answer.body);
          if (*alive) sink->on_end(nullptr);
        });
      });
    }
    struct Handle final : transport::Exchange {
      explicit Handle(std::shared_ptr<bool> a) : alive(std::move(a)) {}
      ~Handle() override { *alive = false; }
      void resume() override {}
      std::shared_ptr<bool> alive;
    };
    return std::make_unique<Handle>(alive);
  }

  static Answer failure(int code, const std::string& reason) {
    return {code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + reason + R"(","reason":")" +
                      reason + R"(","code":)" + std::to_string(code) + "}"};
  }

  std::size_t count(std::string_view method) const {
    std::size_t n = 0;
    for (const auto& s : sent) n += s.method == method ? 1 : 0;
    return n;
  }

 private:
  Answer handle(const Sent& call) {
    auto& objects = store_->objects;
    if (call.method == "POST") {
      const auto path = call.path + "/" + std::string(call.body.name());
      if (objects.count(path) > 0) return failure(409, "AlreadyExists");
      return {201, meta::to_json(store_->put(path, call.body))};
    }
    const auto found = objects.find(call.path);
    if (call.method == "GET" && found == objects.end() && call.path.ends_with("s")) return list(call.path);
    if (found == objects.end()) return failure(404, "NotFound");
    if (call.method == "DELETE") {
      objects.erase(found);
      return {200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"};
    }
    if (call.method == "PUT") {
      const auto expected = call.body.resource_version();
      if (!expected.empty() && expected != found->second.resource_version()) return failure(409, "Conflict");
      store_->put(call.path, call.body);
    }
    if (call.method == "PATCH") {
      store_->put(call.path, meta::apply_merge_patch(found->second.root(), call.body.root()).value());
    }
    return {200, meta::to_json(objects.at(call.path))};
  }

  Answer list(const std::string& path) const {
    meta::Draft out;
    out["apiVersion"].set("v1");
    out["kind"].set("List");
    out["metadata"]["resourceVersion"].set(std::to_string(store_->version));
    out["items"].set_list();
    for (const auto& [key, object] : store_->objects) {
      if (key.starts_with(path + "/")) out["items"].append(object.root());
    }
    return {200, meta::to_json(out.to_object())};
  }

  std::shared_ptr<ManualExecutor> executor_;
  std::shared_ptr<FakeStore> store_;
};

/// A client whose every part runs on the executor.
inline rest::Client fake_client(const std::shared_ptr<ManualExecutor>& executor, const std::shared_ptr<FakeApi>& api,
                                std::shared_ptr<MetricsRegistry> metrics = std::make_shared<MetricsRegistry>()) {
  rest::Config config;
  config.host = "https://server.example:6443";
  rest::ClientOptions options;
  options.transport = api;
  options.executor = executor;
  options.handlers = executor;
  options.metrics = std::move(metrics);
  return rest::Client::create(std::move(config), std::move(options)).value();
}

}  // namespace kubexx::test
