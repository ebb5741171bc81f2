#pragma once

#include <vector>

#include "apiserver/http/negotiate.hpp"
#include "apiserver/schema/resource.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// The meta.k8s.io Table of these objects with the columns of their kind; `header` adds the column definitions.
meta::Object table(const std::vector<meta::Object>& objects, const meta::ListMeta& list, const Resource& resource,
                   const Negotiated& form, bool header, WallTime now);

}  // namespace kubexx::apiserver
