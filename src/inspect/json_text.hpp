#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/base/clock.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::inspect {

/// Writes JSON by appending; commas come by themselves. Nesting is by functions:
///
///     text.object([&] { text.field("name", name); text.list("items", [&] { text.value(1); }); });
class JsonText {
 public:
  template <class Body>
  void object(Body&& body) {
    nest('{', '}', std::forward<Body>(body));
  }
  template <class Body>
  void object(std::string_view key, Body&& body) {
    name(key);
    object(std::forward<Body>(body));
  }
  template <class Body>
  void list(Body&& body) {
    nest('[', ']', std::forward<Body>(body));
  }
  template <class Body>
  void list(std::string_view key, Body&& body) {
    name(key);
    list(std::forward<Body>(body));
  }

  void value(std::string_view text) {
    separate();
    meta::append_json_string(out_, text);
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void value(T number) {
    raw(std::to_string(number));
  }
  /// As milliseconds, with their fraction.
  void value(Duration duration) { raw(std::to_string(std::chrono::duration<double, std::milli>(duration).count())); }
  template <class T>
  void field(std::string_view key, const T& content) {
    name(key);
    value(content);
  }

  std::string take() { return std::move(out_); }

 private:
  void name(std::string_view key) {
    value(key);
    out_ += ':';
    fresh_ = true;
  }
  void raw(std::string_view text) {
    separate();
    out_ += text;
  }
  void separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  template <class Body>
  void nest(char open, char close, Body&& body) {
    separate();
    out_ += open;
    fresh_ = true;
    body();
    out_ += close;
    fresh_ = false;
  }

  std::string out_;
  bool fresh_ = true;  // nothing to separate from
};

}  // namespace kubexx::inspect
