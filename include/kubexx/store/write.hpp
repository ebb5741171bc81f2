#pragma once

#include <cstdint>

#include "kubexx/meta/key.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::store {

/// One write of several that become visible together.
struct Write {
  /// What is written.
  enum class Type : std::uint8_t { Put, Remove };
  Type type = Type::Put;
  meta::Key key = {};  ///< empty: the store's key function names the object
  /// Of a Remove: the object as it was deleted, whose resourceVersion the store takes over; may be null if there is a
  /// key.
  meta::Object object = {};
  meta::Object previous = {};  ///< afterwards: what the store had under the key; null: nothing
};

}  // namespace kubexx::store
