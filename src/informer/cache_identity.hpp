#pragma once

#include <string>

#include "kubexx/base/result.hpp"
#include "kubexx/informer/options.hpp"

namespace kubexx::informer {

/// Which file an informer's cache is in, and what the file must say of itself to be read.
struct CacheIdentity {
  std::string prefix;  ///< of the names of all files of the resource, and of no other
  std::string file;    ///< a name that is safe in any directory, by resource and scope
  std::string text;  ///< lines of a word and a value; the same lines: the same objects, cut and changed in the same way
};

/// An Error: why this informer keeps no file.
Result<CacheIdentity> cache_identity(const InformerOptions& options, const Scope& scope);

}  // namespace kubexx::informer
