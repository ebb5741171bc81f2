#include "kubexx/meta/owner_reference.hpp"

#include <string>

#include "kubexx/meta/gvk.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

bool refers_to(DraftRef reference, const Object& owner) {
  return reference["name"].string() == owner.name() && reference["kind"].string() == owner.kind() &&
         group_of(reference["apiVersion"].string()) == group_of(owner.api_version());
}

DraftRef references_of(const Draft& draft) {
  return draft["metadata"]["ownerReferences"];
}

/// The reference to this owner, or nowhere.
DraftRef find_reference(DraftRef references, const Object& owner) {
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (refers_to(references[i], owner)) return references[i];
  }
  return {};
}

Result<void> check_owner(const Object& owner, const Draft& owned) {
  if (owner.api_version().empty() || owner.kind().empty() || owner.name().empty() || owner.uid().empty()) {
    return Error::config("owner reference: the owner needs apiVersion, kind, name and uid");
  }
  if (owner.namespace_().empty()) return {};
  const std::string owner_namespace(owner.namespace_());
  const std::string owned_namespace(owned["metadata"]["namespace"].string());
  if (owned_namespace.empty()) {
    return Error::config(
        "owner reference: a cluster-scoped object must not have a namespace-scoped owner, the owner's "
        "namespace is " +
        quote(owner_namespace));
  }
  if (owned_namespace != owner_namespace) {
    return Error::config("owner reference: cross-namespace owners are disallowed, the owner's namespace is " +
                         quote(owner_namespace) + ", the object's " + quote(owned_namespace));
  }
  return {};
}

Result<void> write_reference(const Object& owner, Draft& owned, bool controller, const OwnerReferenceOptions& options) {
  if (auto checked = check_owner(owner, owned); !checked) return checked;
  const auto references = references_of(owned);
  auto reference = find_reference(references, owner);
  if (!reference.exists()) reference = references.append();
  reference["apiVersion"].set(owner.api_version());
  reference["kind"].set(owner.kind());
  reference["name"].set(owner.name());
  reference["uid"].set(owner.uid());
  if (controller) {
    reference["controller"].set(true);
  } else {
    reference.erase("controller");
  }
  if (options.block_owner_deletion) {
    reference["blockOwnerDeletion"].set(true);
  } else {
    reference.erase("blockOwnerDeletion");
  }
  return {};
}

}  // namespace

Value controller_of(const Object& object) noexcept {
  for (const Value reference : object.owner_references()) {
    if (reference["controller"].bool_or(false)) return reference;
  }
  return {};
}

bool is_controlled_by(const Object& object, const Object& owner) noexcept {
  const auto uid = controller_of(object)["uid"].string();
  return !uid.empty() && uid == owner.uid();
}

Result<void> set_controller_reference(const Object& owner, Draft& owned, const OwnerReferenceOptions& options) {
  const auto references = references_of(owned);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto reference = references[i];
    if (reference["controller"].bool_or(false) && !refers_to(reference, owner)) {
      return Error::config("owner reference: " + quote(owned["metadata"]["name"].string()) +
                           " is already owned by another controller, " + std::string(reference["kind"].string()) + " " +
                           quote(reference["name"].string()));
    }
  }
  return write_reference(owner, owned, true, options);
}

Result<void> set_owner_reference(const Object& owner, Draft& owned, const OwnerReferenceOptions& options) {
  return write_reference(owner, owned, false, options);
}

bool remove_owner_reference(const Object& owner, Draft& owned) {
  const auto references = references_of(owned);
  const auto reference = find_reference(references, owner);
  if (!reference.exists()) return false;
  reference.erase();
  if (references.size() == 0) references.erase();
  return true;
}

}  // namespace kubexx::meta
