#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "unit/transport/support/socket_server.hpp"

namespace kubexx::transport::test {

struct Http2Request {
  std::int32_t id = 0;
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;
  std::string body;
  std::string client_name;
};

struct Http2Reply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::uint64_t filler = 0;       ///< so many further bytes
  bool open_end = false;          ///< the stream stays open after the body: a quiet watch
  bool silent = false;            ///< no answer at all
  bool refuse = false;            ///< REFUSED_STREAM
  bool reset_after_body = false;  ///< RST_STREAM with INTERNAL_ERROR instead of the end
  bool stop_after_body = false;   ///< RST_STREAM with NO_ERROR instead of the end
  bool go_away = false;           ///< GOAWAY naming the streams before this one as the last ones looked at
};

struct Http2Options {
  std::function<Http2Reply(const Http2Request&)> answer;
  std::uint32_t max_streams = 250;
  std::atomic<int>* pings = nullptr;  ///< counts the pings that arrive
  std::atomic<std::uint64_t>* sent_on_first_stream = nullptr;
  std::atomic<bool>* cut = nullptr;  ///< breaks the connection when it turns true
};

/// Serves one connection until the peer leaves.
void serve_http2(Peer& peer, const Http2Options& options);

}  // namespace kubexx::transport::test
