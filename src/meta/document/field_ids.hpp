#pragma once

#include "kubexx/meta/name.hpp"

/// Ids of the names this layer reads itself: their lines in field_names.inc, counted from 0.
namespace kubexx::meta::field {

inline constexpr NameId kApiVersion{0};
inline constexpr NameId kKind{1};
inline constexpr NameId kMetadata{2};
inline constexpr NameId kItems{5};
inline constexpr NameId kName{6};
inline constexpr NameId kNamespace{7};
inline constexpr NameId kUid{8};
inline constexpr NameId kResourceVersion{9};
inline constexpr NameId kGeneration{10};
inline constexpr NameId kCreationTimestamp{11};
inline constexpr NameId kLabels{12};
inline constexpr NameId kAnnotations{13};
inline constexpr NameId kOwnerReferences{14};
inline constexpr NameId kFinalizers{15};
inline constexpr NameId kDeletionTimestamp{16};
inline constexpr NameId kManagedFields{18};
inline constexpr NameId kGenerateName{19};
inline constexpr NameId kContinue{21};
inline constexpr NameId kRemainingItemCount{22};
inline constexpr NameId kType{23};
inline constexpr NameId kObject{24};

}  // namespace kubexx::meta::field
