#pragma once

#include <memory>
#include <string>

#include "apiserver/http/auth.hpp"
#include "kubexx/apiserver/options.hpp"
#include "kubexx/apiserver/request_log.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx::apiserver {

/// What a server has besides its state. It never changes or locks itself: any thread may use it at any time.
struct Environment {
  /// Throws std::logic_error when the options name no executor.
  explicit Environment(Options given);
  std::string make_uid();
  std::string random_suffix();
  std::string now_text() const;

  const Options options;
  const std::shared_ptr<Executor> executor;
  const Clock& clock;
  const Authority authority;
  Random random;
  RequestLog log;
};

}  // namespace kubexx::apiserver
