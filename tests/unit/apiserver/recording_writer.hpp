#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {

/// Keeps what Core answers.
class RecordingWriter final : public ResponseWriter {
 public:
  void respond(int code, HeaderFields fields, std::string text) override {
    start(code, std::move(fields));
    write(std::make_shared<const std::string>(std::move(text)));
    finish();
  }
  void start(int code, HeaderFields fields) override {
    status = code;
    headers = std::move(fields);
  }
  void write(SharedBytes bytes) override { body += *bytes; }
  void finish() override { finished = true; }
  void abort() override { aborted = true; }
  std::size_t backlog() const override { return unread; }
  void on_close(std::function<void()> callback) override { close = std::move(callback); }

  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
  meta::Object object() const { return meta::parse_json(body).value(); }
  /// The events of a watch so far.
  std::vector<meta::Object> events() const {
    std::vector<meta::Object> out;
    std::size_t at = 0;
    while (at < body.size()) {
      const std::size_t end = body.find('\n', at);
      if (end == std::string::npos) break;
      out.push_back(meta::parse_json(std::string_view(body).substr(at, end - at)).value());
      at = end + 1;
    }
    return out;
  }
  /// "ADDED name@version" per event.
  std::vector<std::string> summary() const {
    std::vector<std::string> out;
    for (const meta::Object& event : events()) {
      const meta::Value object = event["object"];
      out.push_back(std::string(event["type"].string()) + ' ' + std::string(object["metadata"]["name"].string()) + '@' +
                    std::string(object["metadata"]["resourceVersion"].string()));
    }
    return out;
  }

  int status = 0;
  HeaderFields headers;
  std::string body;
  bool finished = false;
  bool aborted = false;
  std::size_t unread = 0;
  std::function<void()> close;
};

}  // namespace kubexx::apiserver
