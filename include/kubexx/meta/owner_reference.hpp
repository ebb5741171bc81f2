#pragma once

#include "kubexx/base/export.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// The owner reference with `controller: true`, borrowed from the object; Absent when there is none.
KUBEXX_EXPORT Value controller_of(const Object& object) noexcept;

/// Whether the object's controller is this very owner (the same uid).
KUBEXX_EXPORT bool is_controlled_by(const Object& object, const Object& owner) noexcept;

/// What a reference says beside whom it is of.
struct OwnerReferenceOptions {
  bool block_owner_deletion = true;
};

/// Makes `owner` the controller of `owned`. A reference to the same owner (group, kind and name) is brought up to date,
/// others are kept.
///
/// Errors: another controller owns it already; the owner lives in another namespace, or in one while the owned object
/// is cluster-wide; the owner has no apiVersion, kind, name or uid.
KUBEXX_EXPORT Result<void> set_controller_reference(const Object& owner, Draft& owned,
                                                    const OwnerReferenceOptions& options = {});

/// Adds `owner` as an owner that does not control; the same rules without the first.
KUBEXX_EXPORT Result<void> set_owner_reference(const Object& owner, Draft& owned,
                                               const OwnerReferenceOptions& options = {.block_owner_deletion = false});

/// Removes the reference to this owner (group, kind and name); false when there was none.
KUBEXX_EXPORT bool remove_owner_reference(const Object& owner, Draft& owned);

}  // namespace kubexx::meta
