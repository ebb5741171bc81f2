#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "transport/call.hpp"
#include "transport/curl_multi.hpp"
#include "transport/http1_transfer.hpp"
#include "transport/http2_connection.hpp"
#include "transport/proxy.hpp"
#include "transport/tls_material.hpp"
#include "transport/transport_metrics.hpp"

namespace kubexx::transport {

/// Puts calls on connections: HTTP/2 where the server speaks it, as few connections as its stream limit allows;
/// HTTP/1.1 else. I/O thread only.
class Pool final : public CallOwner {
 public:
  Pool(EventLoop& loop, const TransportOptions& options, ProxyRules proxies, TlsSource tls);
  ~Pool() override;

  void start(std::shared_ptr<Call> call);
  void cancel(const std::shared_ptr<Call>& call);
  void resume(const std::shared_ptr<Call>& call);
  void replace_client_certificate(std::string certificate, std::string key);
  void end_calls(const Error& error);
  void start_over(const Error& error);
  void end_all(const Error& error);  ///< and every later call

  void finished(std::shared_ptr<Call> call, std::optional<Error> error) override;
  void refused(std::shared_ptr<Call> call, Error error) override;
  void retire(Carrier& carrier) override;

 private:
  struct Origin {
    std::deque<std::shared_ptr<Call>> waiting;
    std::vector<std::unique_ptr<Dial>> dials;
    std::vector<std::unique_ptr<Http2Connection>> connections;
    std::optional<std::size_t> stream_limit;  ///< what its connections were allowed last
    bool speaks_http2 = false;
    std::optional<TimePoint> http1_until;
  };

  void begin(const std::shared_ptr<Call>& call);
  void place(const std::shared_ptr<Call>& call);
  void serve(Origin& origin);
  std::size_t limit_of(const Origin& origin) const;
  void dial(Origin& origin, const Target& target);
  void dialed(Origin& origin, Dial& dial, std::optional<Error> error);
  void place_on_http1(const std::shared_ptr<Call>& call);
  void detach(Call& call);
  Endpoint endpoint(const Target& target);
  void supersede(const std::shared_ptr<const TlsMaterial>& current);

  EventLoop* loop_;
  const TransportOptions* options_;
  ProxyRules proxies_;
  TlsSource tls_;
  std::shared_ptr<const TlsMaterial> tls_in_use_;
  TransportMetrics metrics_;
  CurlMulti multi_;
  Http1Watchdog watchdog_;
  std::unordered_set<std::shared_ptr<Call>> calls_;
  std::map<std::string, Origin> origins_;
  std::unordered_map<Carrier*, std::unique_ptr<Http1Transfer>> transfers_;
  std::vector<std::unique_ptr<Http2Connection>> retired_;
  std::optional<Error> ended_;
  const Error lacks_memory_ = Error::transport(TransportFailure::Other, "out of memory");  ///< made while there is some
};

}  // namespace kubexx::transport
