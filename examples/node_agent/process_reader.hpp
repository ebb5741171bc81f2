#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "line_reader.hpp"

namespace node_agent {

/// The cgroups of all processes that a proc filesystem shows, each once, and again after every period until the stop.
class ProcessReader {
 public:
  ProcessReader(std::string proc, std::chrono::seconds period, const std::stop_token& stop)
      : proc_(std::move(proc)), period_(period), stop_(stop) {}

  std::optional<std::string> next() {
    while (cgroups_.empty()) {
      if (stopped_within(std::exchange(wait_, period_))) return std::nullopt;
      look();
    }
    return std::move(cgroups_.extract(cgroups_.begin()).value());
  }

 private:
  void look() {
    std::error_code gone;  // processes end while they are looked at
    for (std::filesystem::directory_iterator each(proc_, gone), end; !gone && each != end; each.increment(gone)) {
      const auto name = each->path().filename().string();
      if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
        add(each->path() / "cgroup");
    }
  }
  void add(const std::filesystem::path& file) {
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
      if (line.size() <= LineReader::kLongest) cgroups_.insert(std::move(line));
    }
  }
  bool stopped_within(std::chrono::milliseconds wait) const {
    pollfd stop{stop_.fd(), POLLIN, 0};
    return poll(&stop, 1, static_cast<int>(wait.count())) > 0;
  }

  const std::string proc_;
  const std::chrono::milliseconds period_;
  std::chrono::milliseconds wait_{0};  // before the next look
  StopDescriptor stop_;
  std::set<std::string> cgroups_;
};

}  // namespace node_agent
