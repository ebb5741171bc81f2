#pragma once

#include "kubexx/meta/object.hpp"

namespace kubexx::store {

/// Nothing changed from one to the other. The version alone does not say so: a server that was restored to an earlier
/// state uses versions a second time.
inline bool same_object(const meta::Object& known, const meta::Object& fresh) {
  if (!known || known.same_document(fresh)) return static_cast<bool>(known);
  return !known.uid().empty() && known.uid() == fresh.uid() && known.resource_version() == fresh.resource_version() &&
         known == fresh;
}

}  // namespace kubexx::store
