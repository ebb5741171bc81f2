#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::store {

/// One write of several that become visible together.
struct Transaction {
  enum class Type : std::uint8_t { Add, Update, Remove };
  Type type = Type::Add;
  meta::Object object = {};  ///< of a Remove: may be null if the key is given
  std::string key = {};      ///< empty: the store's key function names the object
};

/// What became of a list of transactions: those at `successful` were applied, the others could not be named.
struct TransactionResult {
  std::size_t total = 0;
  std::vector<std::size_t> successful = {};  ///< ascending
  std::vector<Error> errors = {};

  bool ok() const noexcept { return errors.empty(); }
  explicit operator bool() const noexcept { return ok(); }
};

}  // namespace kubexx::store
