#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx::apiserver {

/// Names and values of headers, in their order.
using HeaderFields = std::vector<std::pair<std::string, std::string>>;
/// An event's bytes are the same for all watchers that asked for the same form: they share them.
using SharedBytes = std::shared_ptr<const std::string>;

/// A request without a socket.
struct KUBEXX_EXPORT Request {
  std::string method = "GET";
  std::string target = {};    ///< path and query, escaped as in HTTP
  HeaderFields headers = {};  ///< names in lower case
  std::string body = {};
  std::string peer = {};
  /// The subject of a verified client certificate; empty without one.
  std::string client_common_name = {};
  std::vector<std::string> client_organizations = {};

  std::string_view header(std::string_view lower_case_name) const noexcept;  ///< empty when absent
};

/// Where the answer to one Request goes: either `respond`, or `start`, any number of `write`, and `finish`.
///
/// Threads: Core calls it from whatever thread a change is made on, one call at a time for one answer, and may hold its
/// lock while it does: an implementation must not block and must not call Core back from inside these functions.
/// Errors: it must not throw.
/// Example:
///
///     class Collecting final : public apiserver::ResponseWriter {
///      public:
///       void respond(int status, apiserver::HeaderFields, std::string body) override { greet(status, body); }
///       void start(int, apiserver::HeaderFields) override {}
///       void write(apiserver::SharedBytes bytes) override { text_ += *bytes; }
///       void finish() override { greet(text_); }
///       void abort() override {}
///       std::size_t backlog() const override { return 0; }
///       void on_close(std::function<void()> callback) override { gone_ = std::move(callback); }
///
///      private:
///       std::string text_;
///       std::function<void()> gone_;
///     };
///     core.handle({.target = "/version"}, std::make_shared<Collecting>());
class KUBEXX_EXPORT ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;
  /// A whole answer.
  virtual void respond(int status, HeaderFields headers, std::string body) = 0;
  /// Or one in pieces: its head, any number of pieces, its end.
  virtual void start(int status, HeaderFields headers) = 0;
  virtual void write(SharedBytes bytes) = 0;
  virtual void finish() = 0;
  virtual void abort() = 0;                 ///< cut wherever it stands
  virtual std::size_t backlog() const = 0;  ///< bytes written that the peer has not taken
  /// Nobody waits for the answer any more: Core does not begin what was asked, or does not make the answer of it.
  virtual bool closed() const { return false; }
  /// To be called once when the peer went away, not from inside a call of Core.
  virtual void on_close(std::function<void()> callback) = 0;
};

}  // namespace kubexx::apiserver
