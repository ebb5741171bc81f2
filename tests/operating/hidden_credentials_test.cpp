#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "base/internal/base64.hpp"
#include "base/internal/random_token.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/httpd/certificates.hpp"
#include "kubexx/httpd/server.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/inspect/server.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "support/recording_tracer.hpp"

namespace kubexx {
namespace {

constexpr int kFailures = 9;  // of BadServer, before it lists
constexpr const char* kNo =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403})";

/// Fails in every way it knows, one after the other, and writes down who asked. Then it lists, and its watches break in
/// every way they can. Where it holds an object, that is in all its answers.
class BadServer {
 public:
  BadServer() {
    auto pair = authority_.issue({.common_name = "bad", .ip_addresses = {"127.0.0.1"}, .server = true});
    httpd::ServerOptions options;
    options.certificate = pair->certificate;
    options.key = pair->key;
    options.client_ca = ca();
    server_ =
        std::move(httpd::Server::start(options, [this](const auto& in, const auto& out) { answer(in, out); }).value());
  }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(server_->port()); }
  const std::string& ca() const { return authority_.certificate_pem(); }
  httpd::KeyPair user(const std::string& name) const {
    return authority_.issue({.common_name = name, .client = true}).value();
  }
  /// Before it is asked.
  void hold(std::string object) { object_ = std::move(object); }
  bool holds_an_object() const { return !object_.empty(); }
  /// From the first failure on.
  void fail_again() { requests_ = 0; }
  std::size_t watches() const { return watches_; }
  /// The Authorization of each request, or the name in its certificate.
  std::set<std::string> users() const {
    const std::lock_guard lock(mutex_);
    return users_;
  }

 private:
  void answer(const httpd::Request& request, const httpd::Responder& responder) {
    {
      const std::lock_guard lock(mutex_);
      const std::string authorization(request.header("authorization"));
      users_.insert(authorization.empty() ? request.client_common_name : authorization);
    }
    const httpd::HeaderFields json{{"content-type", "application/json"}};
    const auto said = [this](const char* text) { return object_.empty() ? text : object_; };
    switch (requests_++) {
      case 0:
        return responder.respond(401, {}, said("who are you"));
      case 1:
        return responder.respond(403, json, kNo);
      case 2:
        return responder.respond(302, {{"location", "https://elsewhere.example/"}}, said(""));
      case 3:
        return responder.abort();
      case 4:
        return responder.respond(500, {}, said("out of order"));
      case 5:
        return responder.respond(200, json, said("{no json") + "}");
      case 6:
        return responder.respond(200, {{"content-type", "text/html"}}, said("<html>"));
      case 7:
        responder.start(200, json);
        responder.write(R"({"kind":"List","items":[)" + said("") + ",");
        return responder.abort();
      case kFailures - 1:
        return responder.respond(429, {{"retry-after", "0"}, {"warning", "299 - \"slowly\""}}, said(""));
      default:
        if (request.target.find("watch=true") == std::string::npos) {
          return responder.respond(
              200, json,
              R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)" + object_ + "]}");
        }
        responder.start(200, json);
        watch(responder);
    }
  }

  void watch(const httpd::Responder& responder) {
    const auto said = object_.empty() ? std::string("{}") : object_;
    const auto event = [](const char* type, const std::string& object) {
      return std::string(R"({"type":")") + type + R"(","object":)" + object + "}\n";
    };
    switch (watches_++ % 6) {
      case 0:
        if (!object_.empty()) responder.write(event("MODIFIED", object_));
        responder.write(event("MODIFIED", said.substr(0, said.size() - 1)));
        return responder.finish();
      case 1:
        responder.write(R"({"type":"MODIFIED","object":)" + said);
        return responder.abort();
      case 2:
        responder.write(event("ERROR", said));
        return responder.finish();
      case 3:
        responder.write(event("SURPRISE", said));
        return responder.finish();
      case 4:
        responder.write(event("MODIFIED", "[" + said + "]"));
        return responder.finish();
      default:
        responder.write(event("ERROR", kNo));
        return responder.finish();
    }
  }

  httpd::CertificateAuthority authority_ = httpd::CertificateAuthority::create("bad").value();
  std::string object_;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> watches_ = 0;
  mutable std::mutex mutex_;
  std::set<std::string> users_;  // guarded by mutex_
  std::unique_ptr<httpd::Server> server_;
};

/// Everything that a program can be told or show, at its most talkative.
class Everything final : public LogSink {
 public:
  void write(LogLevel, std::string_view message, std::span<const LogField> fields) override {
    add("log", log_line(message, fields));
  }
  void add(const std::string& from, const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_.emplace_back(from, text);
  }
  void add(const std::string& from, const Error& error) {
    std::ostringstream text;
    text << error << ' ' << error.message() << ' ' << error.reason() << ' ' << error.details().name;
    for (const auto& cause : error.details().causes) text << ' ' << cause.message << ' ' << cause.field;
    add(from, text.str());
  }
  std::size_t count(const std::string& from) const {
    const std::lock_guard lock(mutex_);
    std::size_t found = 0;
    for (const auto& [where, text] : texts_) found += where == from ? 1 : 0;
    return found;
  }
  std::vector<std::string> with(const std::string& secret) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto& [where, text] : texts_) {
      if (text.find(secret) != std::string::npos) found.push_back(where + ": " + text);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> texts_;  // guarded by mutex_
};

class HiddenCredentialsTest : public ::testing::Test {
 protected:
  HiddenCredentialsTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    set_log_sink(all_, LogLevel::Debug);
    set_error_sink([this](const Error& error, std::string_view where) { all_->add(std::string(where), error); });
    config_.host = server_.url();
    config_.tls.ca_data = server_.ca();
    testing::internal::CaptureStderr();
  }
  ~HiddenCredentialsTest() override {
    set_error_sink({});
    set_log_sink(nullptr);
    std::filesystem::remove_all(folder_);
  }

  std::string file(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    const auto path = folder_ + "/" + name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }

  /// An informer meets all that the server does, and then a caller; the inspector looks on.
  void run_an_informer(const meta::GroupVersionResource& resource) {
    const auto registry = std::make_shared<MetricsRegistry>();
    const auto tracer = std::make_shared<RecordingTracer>();
    const auto client = rest::Client::create(config_, {.metrics = registry, .tracer = tracer}).value();
    informer::InformerOptions options;
    options.resource = resource;
    options.executor = client.executor();
    options.handlers = client.handlers();
    options.reflector.emplace();
    options.reflector->watch_list = false;
    options.reflector->backoff = {.initial = std::chrono::milliseconds(1), .cap = std::chrono::milliseconds(5)};
    options.reflector->metrics = registry;
    options.reflector->tracer = tracer;
    const auto informer = informer::SharedIndexInformer::create(informer::make_client_lister_watcher(client, resource),
                                                                std::move(options));
    auto page = inspect::Server::start({.metrics = registry}).value();
    page->add(informer);
    informer->start();
    // A few watches a second are begun, and without an object they have little to tell.
    const std::size_t watches = server_.holds_an_object() ? 6 : 2;
    EXPECT_TRUE(testkit::eventually([&] { return server_.watches() > watches; }, std::chrono::minutes(1)));
    look_at(*page, informer->name());
    informer->stop();
    informer->join();
    server_.fail_again();
    for (int turn = 0; turn < 2 * kFailures; ++turn) {
      rest::Request request;
      request.path = {resource, "ns", "a", ""};
      if (const auto answer = client.send(request); !answer) {
        all_->add("answer", answer.error());
      } else if (const auto object = answer->object(); !object) {
        all_->add("answer", object.error());
      }
    }
    all_->add("metrics", registry->expose());
    for (const auto& line : tracer->lines()) all_->add("trace", line);
    all_->add("config", config_.to_string());
  }

  void look_at(const inspect::Server& page, const std::string& informer) {
    const auto client = rest::Client::create({.host = page.address()}).value();
    for (const auto* path : {"/", "/healthz?verbose", "/readyz?verbose", "/metrics", "/api/status", "/api/informers",
                             "/api/queues", "/api/controllers", "/api/rows", "/api/object"}) {
      rest::Request request;
      request.absolute_path = path;
      if (request.absolute_path == "/api/rows" || request.absolute_path == "/api/object") {
        request.query = {{"informer", informer}, {"key", "ns/a"}};
      }
      request.headers.add("Authorization", "Bearer " + page.token());
      const auto answer = client.send(request);
      if (answer) all_->add(path, answer->body);
    }
  }

  /// Who is what the server knows its client by.
  void expect_hidden(const std::vector<std::string>& forms, const std::string& who,
                     const meta::GroupVersionResource& resource = {"", "v1", "pods"}) {
    run_an_informer(resource);
    all_->add("standard error", testing::internal::GetCapturedStderr());
    EXPECT_THAT(server_.users(), testing::ElementsAre(who)) << "it was used";
    for (const auto* from : {"log", "trace", "metrics", "answer", "/api/status", "/api/rows", "config"})
      EXPECT_GT(all_->count(from), 0U) << "nothing of " << from << " was looked at";
    for (const auto& form : forms) EXPECT_THAT(all_->with(form), testing::IsEmpty()) << form;
  }
  void expect_hidden(const std::string& secret, const std::string& who) {
    expect_hidden({secret, base64_encode(secret), base64_encode("somebody:" + secret)}, who);
  }

  std::string folder_;
  BadServer server_;
  std::shared_ptr<Everything> all_ = std::make_shared<Everything>();
  rest::Config config_;
  const std::string secret_ = random_token();  // made here: no file of the tree has it
};

TEST_F(HiddenCredentialsTest, ATokenFromAFileShowsNowhereWhateverFails) {
  config_.bearer_token_file = file("token", secret_);
  expect_hidden(secret_, "Bearer " + secret_);
}

TEST_F(HiddenCredentialsTest, APluginsTokenShowsNowhereWhateverFails) {
  config_.exec = rest::ExecConfig{.api_version = "client.authentication.k8s.io/v1"};
  config_.exec->interactive_mode = "Never";
  config_.exec->command = file("plugin",
                               "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":"
                               "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"" +
                                   secret_ + "\"}}'\n",
                               0700);
  expect_hidden(secret_, "Bearer " + secret_);
}

TEST_F(HiddenCredentialsTest, APasswordShowsNowhereWhateverFails) {
  config_.username = "somebody";
  config_.password = secret_;
  expect_hidden(secret_, "Basic " + base64_encode("somebody:" + secret_));
}

TEST_F(HiddenCredentialsTest, AClientsKeyShowsNowhereWhateverFails) {
  const auto user = server_.user("somebody");
  config_.tls.certificate_data = user.certificate;
  config_.tls.key_data = user.key;
  std::vector<std::string> lines;
  std::istringstream text(user.key);
  for (std::string line; std::getline(text, line);) {
    if (line.size() > 16 && !line.starts_with("-----")) lines.push_back(line);
  }
  ASSERT_FALSE(lines.empty());
  lines.push_back(base64_encode(user.key).substr(0, 64));  // as in a kubeconfig
  expect_hidden(lines, "somebody");
}

// What a watch of Secrets brings is nobody's but the cache's: not of those who read logs, nor of the inspector's page.
TEST_F(HiddenCredentialsTest, WhatASecretHoldsShowsNowhereWhateverFails) {
  const auto value = base64_encode(secret_);
  server_.hold(R"({"kind":"Secret","apiVersion":"v1","metadata":{"namespace":"ns","name":"a","resourceVersion":"7",)"
               R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"password\":\")" +
               value + R"(\"}}"}},"data":{"password":")" + value + R"("},"stringData":{"again":")" + secret_ + "\"}}");
  config_.username = "somebody";
  config_.password = "of no interest";
  expect_hidden({secret_, value}, "Basic " + base64_encode("somebody:of no interest"), {"", "v1", "secrets"});
  EXPECT_GT(all_->count("/api/object"), 0U) << "no object was looked at";
}

}  // namespace
}  // namespace kubexx
