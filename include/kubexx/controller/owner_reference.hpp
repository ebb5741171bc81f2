#pragma once

#include "kubexx/base/export.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/owner_reference.hpp"

namespace kubexx::controller {

using meta::set_controller_reference;
using meta::set_owner_reference;

namespace detail {
KUBEXX_EXPORT_INTERNAL Result<void> set_reference(const meta::Object& owner, meta::DraftRef owned, bool controller,
                                                  const meta::OwnerReferenceOptions& options);
}

/// The functions of meta/owner_reference.hpp for the drafts of generated types.
template <class D>
  requires requires(const D& draft) { draft.draft().root(); }
Result<void> set_controller_reference(const meta::Object& owner, D& owned,
                                      const meta::OwnerReferenceOptions& options = {}) {
  return detail::set_reference(owner, owned.draft().root(), true, options);
}
template <class D>
  requires requires(const D& draft) { draft.draft().root(); }
Result<void> set_owner_reference(const meta::Object& owner, D& owned,
                                 const meta::OwnerReferenceOptions& options = {.block_owner_deletion = false}) {
  return detail::set_reference(owner, owned.draft().root(), false, options);
}

}  // namespace kubexx::controller
