#include "client/internal/log_lines.hpp"
#include "client/query.hpp"
#include "kubexx/client/resource_api.hpp"

namespace kubexx::client {
namespace {

/// A log by lines: the call behind it and what its callbacks share.
class LineCall final : public meta::Call {
 public:
  struct Impl {
    explicit Impl(LineCallbacks c) : callbacks(std::move(c)) {}
    bool line(std::string_view text) {
      callbacks.on_line(text);
      return !over;
    }
    LineCallbacks callbacks;
    LogLines lines;
    bool over = false;  // the call was destroyed, perhaps inside on_line
  };

  LineCall(std::shared_ptr<Impl> impl, std::unique_ptr<meta::Call> bytes)
      : impl_(std::move(impl)), bytes_(std::move(bytes)) {}
  ~LineCall() override { impl_->over = true; }
  void hold() override { bytes_->hold(); }
  void resume() override { bytes_->resume(); }

 private:
  const std::shared_ptr<Impl> impl_;
  const std::unique_ptr<meta::Call> bytes_;
};

}  // namespace

rest::Request ResourceApi::log_request(std::string_view name, const LogOptions& options) const {
  auto out = request("GET", name, "log", {});
  out.accept = "text/plain, */*";
  add(out.query, "container", options.container);
  add(out.query, "follow", options.follow);
  add(out.query, "previous", options.previous);
  add(out.query, "timestamps", options.timestamps);
  add(out.query, "tailLines", options.tail_lines);
  add(out.query, "sinceSeconds", options.since_seconds);
  add(out.query, "sinceTime", options.since_time);
  add(out.query, "limitBytes", options.limit_bytes);
  return out;
}

Async<Result<std::string>> ResourceApi::logs_async(std::string_view name, const LogOptions& options) const {
  return client_.send_async(log_request(name, options), {options.stop, options.timeout})
      .map([](Result<rest::Response> answer) -> Result<std::string> {
        if (!answer) return answer.error();
        return std::move(answer->body);
      });
}

std::unique_ptr<meta::Call> ResourceApi::start_logs(std::string_view name, const LogOptions& options,
                                                    const Strand& strand, rest::ByteCallbacks callbacks) const {
  return client_.stream(log_request(name, options), strand, std::move(callbacks));
}

std::unique_ptr<meta::Call> ResourceApi::start_log_lines(std::string_view name, const LogOptions& options,
                                                         const Strand& strand, LineCallbacks callbacks) const {
  const auto impl = std::make_shared<LineCall::Impl>(std::move(callbacks));
  rest::ByteCallbacks bytes;
  bytes.on_open = std::move(impl->callbacks.on_open);
  bytes.on_bytes = [impl](std::string_view piece) {
    impl->lines.take(piece, [&](std::string_view text, bool) { return impl->line(text); });
  };
  bytes.on_end = [impl](const Error* error) {
    if (!error) impl->lines.end([&](std::string_view text, bool) { return impl->line(text); });
    if (!impl->over) impl->callbacks.on_end(error);
  };
  return std::make_unique<LineCall>(impl, start_logs(name, options, strand, std::move(bytes)));
}

}  // namespace kubexx::client
