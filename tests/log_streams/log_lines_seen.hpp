#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/logs/log_streams.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::log_streams {

using apiserver::ContainerKey;

/// A pod with these containers that a node runs.
inline meta::Object log_pod(const std::string& key, const std::vector<std::string>& containers = {"web"},
                            const std::string& app = "web") {
  const auto slash = key.find('/');
  std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":")" + key.substr(0, slash) +
                     R"(","name":")" + key.substr(slash + 1) + R"(","labels":{"app":")" + app +
                     R"("}},"spec":{"nodeName":"n","restartPolicy":"Never","containers":[)";
  for (const auto& name : containers) {
    if (text.back() == '}') text += ',';
    text += R"({"name":")" + name + R"(","image":"i"})";
  }
  return meta::parse_json(text + "]}}").value();
}

/// What was written to containers and what arrived of it, by "pod/container".
class LogLinesSeen {
 public:
  using Lines = std::map<std::string, std::vector<std::string>>;

  logs::LogStreamsOptions options() {
    logs::LogStreamsOptions options;
    options.backoff = {.initial = std::chrono::milliseconds(50), .cap = std::chrono::milliseconds(500), .jitter = 0};
    options.on_line = [this](const logs::LogLine& line) { take(line); };
    return options;
  }
  void take(const logs::LogLine& line) {
    const std::lock_guard lock(mutex_);
    const std::string key = line.origin.pod + "/" + line.origin.container;
    auto& text = partial_[key];
    text.append(line.text);
    if (line.continues) return;
    seen_[key].push_back(std::move(text));
    restarts_[key].push_back(line.origin.restarts);
    text.clear();
  }
  void write(apiserver::Core& core, const ContainerKey& to, const std::string& text) {
    const auto written = core.append_log(to, text);
    ASSERT_TRUE(written) << written.error();
    written_[to.pod + "/" + to.container].push_back(text);
  }
  Lines seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  const Lines& written() const { return written_; }
  bool all_there() const { return seen() == written_; }
  std::vector<std::int64_t> restarts(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = restarts_.find(key);
    return found == restarts_.end() ? std::vector<std::int64_t>() : found->second;
  }

 private:
  Lines written_;
  mutable std::mutex mutex_;
  Lines seen_;                                                 // guarded by mutex_
  std::map<std::string, std::string> partial_;                 // guarded by mutex_
  std::map<std::string, std::vector<std::int64_t>> restarts_;  // guarded by mutex_
};

}  // namespace kubexx::log_streams
