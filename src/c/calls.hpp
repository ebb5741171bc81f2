#pragma once

#include <string>

#include "c/client.hpp"
#include "c/options.hpp"
#include "kubexx/base/async.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/c.h"
#include "kubexx/client/resource_api.hpp"

namespace kubexx::c {

/// A call that is made when the caller's arguments have been read: with what token to stop it, the answer as JSON.
using Answer = Result<std::string>;
using MakeCall = UniqueFunction<Async<Answer>(std::stop_token)>;

struct CallArguments {
  kubexx_client* client = nullptr;
  const char* resource = nullptr;
  const char* name_space = nullptr;
  const char* name = nullptr;
  const char* body = nullptr;
  std::size_t body_size = 0;
  const kubexx_options* options = nullptr;
};

// Each reads its arguments, throws where they cannot be right, and has copied them.
MakeCall call_get(const CallArguments& arguments);
MakeCall call_list(const CallArguments& arguments);
MakeCall call_create(const CallArguments& arguments);
MakeCall call_update(const CallArguments& arguments);
MakeCall call_patch(const CallArguments& arguments, kubexx_patch_type type);
MakeCall call_apply(const CallArguments& arguments);
MakeCall call_delete(const CallArguments& arguments);

}  // namespace kubexx::c
