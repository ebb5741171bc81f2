#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/internal/random_token.hpp"
#include "contract/any_server.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "kubexx/testkit/recording_handler.hpp"
#include "support/log_lines.hpp"

namespace kubexx::informer {

using contract::kConfigMaps;
using testkit::eventually;
using testkit::make_config_map;
using testkit::Recording;

/// A directory of this test alone, which goes with it.
class OwnDirectory {
 public:
  OwnDirectory() : path_(std::filesystem::temp_directory_path() / ("kubexx-cache-" + random_token())) {
    std::filesystem::create_directory(path_);
  }
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;
  ~OwnDirectory() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// One life of a program with an informer of ConfigMaps.
class Program {
 public:
  Program(const apiserver::Server& server, FactoryOptions options)
      : factory_(testkit::client(server), std::move(options)),
        informer_(factory_.for_resource(kConfigMaps).value().informer().shared()),
        registration_(informer_->add_event_handler(seen.handler())) {
    factory_.start();
  }
  bool synced() { return static_cast<bool>(factory_.wait_for_cache_sync({}, {.timeout = std::chrono::seconds(30)})); }
  InformerStatus status() const { return informer_->status(); }
  std::vector<std::string> keys() const { return informer_->store()->list_keys(); }
  std::string value(const std::string& key) const {
    return std::string(informer_->store()->find(key)["data"]["v"].string());
  }
  SharedIndexInformer& informer() { return *informer_; }
  /// As a program that ends well.
  void end() { factory_.shutdown(); }

  Recording seen;

 private:
  DynamicSharedInformerFactory factory_;
  std::shared_ptr<SharedIndexInformer> informer_;
  Registration registration_;
};

class CacheFileContractTest : public ::testing::TestWithParam<QueueKind> {
 protected:
  FactoryOptions options() const {
    FactoryOptions made;
    made.defaults.backoff = Backoff::none();
    made.defaults.queue = GetParam();
    made.cache_directory = directory();
    return made;
  }
  std::string directory() const { return own_.path() / "cache"; }
  void seed(std::string_view key, std::string_view value = "") {
    ASSERT_TRUE(server_.seed(make_config_map(key, value)));
  }
  void remove(std::string_view key) {
    ASSERT_TRUE(server_.core().remove(kConfigMaps, meta::ObjectKey::parse(key).value()));
  }
  /// A program that reads everything, writes its file and ends.
  void run_once(const FactoryOptions& how) {
    Program program(server_, how);
    ASSERT_TRUE(program.synced());
    program.end();
    server_.requests().clear();
  }
  void run_once() { run_once(options()); }
  /// Those that read objects: all but the question for the version.
  std::size_t lists() {
    std::size_t count = server_.requests().count("watch", "configmaps", {.initial_events = true});
    for (const auto& each : server_.requests().entries("list", "configmaps")) count += each.options.limit == 1 ? 0 : 1;
    return count;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    if (!std::filesystem::is_directory(directory())) return found;
    for (const auto& entry : std::filesystem::directory_iterator(directory())) found.push_back(entry.path());
    return found;
  }
  std::filesystem::path file() const {
    const auto all = files();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? std::filesystem::path() : all.front();
  }
  bool logged(const std::string& text) const {
    const auto lines = log_.all();
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }

  OwnDirectory own_;
  LogLines log_;
  apiserver::Server server_;
};

}  // namespace kubexx::informer
