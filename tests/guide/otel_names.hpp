// The names of OpenTelemetry's C++ library that docs/adapters.md uses, as far as it uses them: Debian does not have it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opentelemetry {
namespace nostd {

using string_view = std::string_view;
template <class T>
using shared_ptr = std::shared_ptr<T>;

}  // namespace nostd

namespace common {

using AttributeValue = std::variant<bool, std::int64_t, double, nostd::string_view>;

}  // namespace common

namespace trace {

enum class StatusCode { kUnset, kOk, kError };

struct SpanContext {
  std::string name = {};
};

struct StartSpanOptions {
  SpanContext parent = {};
};

/// Writes down what is said of it.
class Span {
 public:
  Span(std::shared_ptr<std::vector<std::string>> lines, std::string name)
      : lines_(std::move(lines)), name_(std::move(name)) {}
  void SetAttribute(nostd::string_view key, const common::AttributeValue&) {
    lines_->push_back(name_ + " says " + std::string(key));
  }
  void SetStatus(StatusCode code, nostd::string_view description = {}) {
    if (code == StatusCode::kError) lines_->push_back(name_ + " failed: " + std::string(description));
  }
  void End() { lines_->push_back(name_ + " ends"); }
  SpanContext GetContext() const { return {name_}; }

 private:
  std::shared_ptr<std::vector<std::string>> lines_;
  std::string name_;
};

class Tracer {
 public:
  using Attributes = std::initializer_list<std::pair<nostd::string_view, common::AttributeValue>>;

  nostd::shared_ptr<Span> StartSpan(nostd::string_view name, Attributes, const StartSpanOptions& options = {}) {
    const auto& parent = options.parent.name;
    lines->push_back(std::string(name) + " begins" + (parent.empty() ? "" : " in " + parent));
    return std::make_shared<Span>(lines, std::string(name));
  }

  std::shared_ptr<std::vector<std::string>> lines = std::make_shared<std::vector<std::string>>();
};

}  // namespace trace
}  // namespace opentelemetry
