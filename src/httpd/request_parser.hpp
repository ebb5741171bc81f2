#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kubexx/httpd/server.hpp"

namespace kubexx::httpd {

/// Reads one HTTP/1 request out of a byte stream.
class RequestParser {
 public:
  RequestParser(std::size_t max_header, std::size_t max_body);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  /// How many bytes were used; those left over are to be given again, with more behind them, unless done().
  std::size_t feed(std::string_view bytes);
  bool head_done() const noexcept;
  bool done() const noexcept;
  /// The status to answer a request with that cannot be served; 0: none.
  int error() const noexcept;
  bool keep_alive() const;  ///< from head_done() on
  bool http_1_0() const noexcept;
  bool expects_continue() const noexcept;
  Request& request() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// "Not Found" for 404; empty for codes without a name.
std::string_view reason_phrase(int status);

}  // namespace kubexx::httpd
