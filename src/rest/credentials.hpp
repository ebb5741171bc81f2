#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/rest/config.hpp"
#include "kubexx/transport/transport.hpp"
#include "rest/url.hpp"

namespace kubexx::rest {

/// What an exec plugin gave, or where it is asked again.
class ExecSource {
 public:
  virtual ~ExecSource() = default;
  /// The headers of the current credential; runs the plugin when there is none that holds. Blocks.
  virtual Result<transport::Headers> headers() = 0;
  virtual bool fresh() const = 0;  ///< headers() will not block
  virtual void invalidate() = 0;
};

/// The headers that say who we are. Credentials are given to https servers only, or to loopback when asked for.
///
/// Threads: safe from any thread.
class Credentials {
 public:
  Credentials(const Config& config, const ServerUrl& server, const Clock& clock, std::shared_ptr<Executor> blocking,
              std::shared_ptr<ExecSource> exec);
  /// Calls back on the strand with the headers to add; at once when nothing blocks.
  void prepare(const Strand& strand, UniqueFunction<void(Result<transport::Headers>)> done);
  /// The server answered 401: what is cached is asked for anew.
  void rejected();

 private:
  Result<transport::Headers> static_headers();
  Result<std::string> token();

  const Config config_;
  const bool allowed_;
  const Clock& clock_;
  std::shared_ptr<Executor> blocking_;
  std::shared_ptr<ExecSource> exec_;
  std::mutex mutex_;
  std::string file_token_;  // guarded by mutex_
  TimePoint file_read_{};   // guarded by mutex_; the beginning of time: read again
};

}  // namespace kubexx::rest
