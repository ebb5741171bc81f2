#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/trace.hpp"

namespace kubexx {

/// Writes down every span: "begin KIND: NAME a=b", "end NAME c=d".
class RecordingTracer final : public Tracer {
 public:
  std::unique_ptr<Span> begin(const SpanStart& start) override {
    const std::lock_guard lock(mutex_);
    std::string name(start.name);
    lines_.push_back("begin " + std::string(to_string(start.kind)) + ": " + name + text(start.attributes));
    parents_[name] = start.parent ? static_cast<Recorded*>(start.parent)->name : std::string();
    return std::make_unique<Recorded>(*this, std::move(name));
  }

  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// Of the last span of this name; empty: it stood alone.
  std::string parent_of(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = parents_.find(name);
    return found == parents_.end() ? "never begun" : found->second;
  }
  /// The first line that begins so; empty: none.
  std::string line(std::string_view beginning) const {
    const std::lock_guard lock(mutex_);
    for (const auto& each : lines_) {
      if (each.starts_with(beginning)) return each;
    }
    return "";
  }

 private:
  struct Recorded final : Span {
    Recorded(RecordingTracer& t, std::string n) : tracer(t), name(std::move(n)) {}
    void end(const TraceAttributes& attributes) override {
      const std::lock_guard lock(tracer.mutex_);
      tracer.lines_.push_back("end " + name + text(attributes));
    }
    RecordingTracer& tracer;
    const std::string name;
  };

  static std::string text(const TraceAttributes& attributes) {
    std::string out;
    for (const auto& [key, value] : attributes) {
      out += " " + std::string(key) + "=";
      if (const auto* flag = std::get_if<bool>(&value)) out += *flag ? "true" : "false";
      if (const auto* number = std::get_if<std::int64_t>(&value)) out += std::to_string(*number);
      if (const auto* real = std::get_if<double>(&value)) out += std::to_string(*real);
      if (const auto* words = std::get_if<std::string>(&value)) out += *words;
    }
    return out;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;              // guarded by mutex_
  std::map<std::string, std::string> parents_;  // guarded by mutex_; by name
};

}  // namespace kubexx
