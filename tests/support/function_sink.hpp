#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "kubexx/meta/stream.hpp"

namespace kubexx {

/// What a sink does; absent: nothing.
struct SinkFunctions {
  std::function<void()> on_open = {};
  std::function<void(meta::Object)> on_item = {};
  std::function<void(meta::WatchEvent)> on_event = {};
  std::function<void(std::size_t)> on_bytes = {};
  std::function<void(Result<meta::ListMeta>)> on_end = {};
};

class FunctionSink final : public meta::StreamSink {
 public:
  explicit FunctionSink(SinkFunctions functions) : functions_(std::move(functions)) {}
  void on_open() override {
    if (functions_.on_open) functions_.on_open();
  }
  void on_item(meta::Object item) override {
    if (functions_.on_item) functions_.on_item(std::move(item));
  }
  void on_event(meta::WatchEvent event) override {
    if (functions_.on_event) functions_.on_event(std::move(event));
  }
  void on_bytes(std::size_t received) override {
    if (functions_.on_bytes) functions_.on_bytes(received);
  }
  void on_end(Result<meta::ListMeta> end) override {
    if (functions_.on_end) functions_.on_end(std::move(end));
  }

 private:
  SinkFunctions functions_;
};

inline std::shared_ptr<meta::StreamSink> make_sink(SinkFunctions functions) {
  return std::make_shared<FunctionSink>(std::move(functions));
}

}  // namespace kubexx
