#include "httpd/request_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <limits>

#include "base/internal/text.hpp"

namespace kubexx::httpd {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::iequals;
using BeastView = boost::beast::string_view;

std::string text(BeastView view) {
  return {view.data(), view.size()};
}

// "GET http://host/path" is a valid way to ask for /path (RFC 9112, 3.2.2).
std::string origin_form(BeastView target) {
  for (BeastView scheme : {BeastView("http://"), BeastView("https://")}) {
    if (target.size() < scheme.size() || !iequals(target.substr(0, scheme.size()), scheme)) continue;
    const auto path = target.find_first_of("/?", scheme.size());
    if (path == BeastView::npos) return "/";
    return target[path] == '/' ? text(target.substr(path)) : std::string("/").append(text(target.substr(path)));
  }
  return text(target);
}

}  // namespace

struct RequestParser::Impl final : http::basic_parser<true> {
  Impl(std::size_t header, std::size_t body) : max_header(header) {
    eager(true);
    header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(header, std::numeric_limits<std::uint32_t>::max())));
    body_limit(body);
  }

  void on_request_impl(http::verb, BeastView method, BeastView target, int version, error_code&) override {
    request.method = text(method);
    request.target = origin_form(target);
    old_version = version < 11;
  }
  void on_response_impl(int, BeastView, int, error_code&) override {}
  void on_field_impl(http::field name, BeastView name_text, BeastView value, error_code& ec) override {
    if (is_header_done()) return;  // trailers are not trusted with anything
    if (name == http::field::host) ++hosts;
    if (name == http::field::expect) expects_continue = iequals(value, "100-continue");
    if (name == http::field::transfer_encoding && (!iequals(value, "chunked") || old_version)) {
      ec = http::error::bad_transfer_encoding;  // anything else leaves the end of the body to guesswork
      return;
    }
    request.headers.emplace_back(to_lower({name_text.data(), name_text.size()}), text(value));
  }
  void on_header_impl(error_code& ec) override {
    if (hosts > 1 || (hosts == 0 && !old_version)) ec = http::error::bad_field;
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(BeastView body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  std::size_t max_header;
  Request request;
  int hosts = 0;
  int error = 0;
  bool old_version = false;
  bool expects_continue = false;
};

RequestParser::RequestParser(std::size_t max_header, std::size_t max_body)
    : impl_(std::make_unique<Impl>(max_header, max_body)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

std::size_t RequestParser::feed(std::string_view bytes) {
  std::size_t used = 0;
  // Empty lines in front of a request are skipped, as old clients send them after a body (RFC 9112, 2.2).
  while (!impl_->got_some() && bytes.substr(used).starts_with("\r\n")) used += 2;
  if (!impl_->got_some() && bytes.substr(used) == "\r") return used;
  error_code ec;
  used += impl_->put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), ec);
  // Lines inside a chunked body have no limit of their own.
  if (ec == http::error::need_more && bytes.size() - used > impl_->max_header) ec = http::error::header_limit;
  if (ec == http::error::header_limit) {
    impl_->error = 431;
  } else if (ec == http::error::body_limit) {
    impl_->error = 413;
  } else if (ec && ec != http::error::need_more) {
    impl_->error = 400;
  }
  return used;
}

bool RequestParser::head_done() const noexcept {
  return impl_->is_header_done();
}
bool RequestParser::done() const noexcept {
  return impl_->error == 0 && impl_->is_done();
}
int RequestParser::error() const noexcept {
  return impl_->error;
}
bool RequestParser::keep_alive() const {
  return impl_->keep_alive();
}
bool RequestParser::http_1_0() const noexcept {
  return impl_->old_version;
}
bool RequestParser::expects_continue() const noexcept {
  return impl_->expects_continue;
}
Request& RequestParser::request() noexcept {
  return impl_->request;
}

std::string_view reason_phrase(int status) {
  const auto phrase = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return http::int_to_status(static_cast<unsigned>(status)) == http::status::unknown
             ? std::string_view()
             : std::string_view(phrase.data(), phrase.size());
}

}  // namespace kubexx::httpd
