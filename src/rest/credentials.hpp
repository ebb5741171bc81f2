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
  virtual void stop() = 0;  ///< ends a plugin that runs, and every later attempt
  /// The headers of the current credential; runs the plugin when there is none that holds. Blocks.
  virtual Result<transport::Headers> headers() = 0;
  virtual bool fresh() const = 0;               ///< headers() will not block
  virtual void invalidate(TimePoint sent) = 0;  ///< a request sent then was rejected
};

/// The headers that say who we are. Credentials are given to https servers only, or to loopback when asked for.
///
/// Threads: safe from any thread.
class Credentials {
 public:
  Credentials(const Config& config, const ServerUrl& server, const Clock& clock, std::shared_ptr<Executor> blocking,
              std::shared_ptr<ExecSource> exec);
  ~Credentials();
  /// Calls back on the strand with the headers to add; at once when nothing blocks. `authorized`: the request brings an
  /// Authorization of its own, which counts.
  void prepare(const Strand& strand, bool authorized, UniqueFunction<void(Result<transport::Headers>)> done);
  /// The server answered 401 to a request sent then: what was cached by that time is asked for anew.
  void rejected(TimePoint sent);
  /// That answer as an Error that says which token file it was about, and what is wrong with it as far as can be seen.
  Error explain(const Error& refusal);

 private:
  Result<transport::Headers> static_headers(bool authorized);
  Result<std::string> token();

  const Config config_;
  const bool allowed_;
  const Clock& clock_;
  std::shared_ptr<Executor> blocking_;
  std::shared_ptr<ExecSource> exec_;
  std::mutex mutex_;
  std::string file_token_;   // guarded by mutex_
  TimePoint file_read_{};    // guarded by mutex_
  bool file_stale_ = false;  // guarded by mutex_; the server rejected it
  std::string file_fault_;   // guarded by mutex_; why it could not be read last
};

}  // namespace kubexx::rest
