#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/delta/queue.hpp"
#include "kubexx/delta/transform.hpp"
#include "kubexx/meta/object_key.hpp"
#include "meta/internal/key_text.hpp"

namespace kubexx::delta {

/// The user's functions that run before an object is queued. An exception of theirs is an Error.
class Intake {
 public:
  Intake(meta::KeyFunc key_func, TransformFunc transform)
      : key_func_(std::move(key_func)), transform_(std::move(transform)) {}

  bool default_keys() const noexcept { return !key_func_; }

  /// Replaces the object by what is to be queued.
  Result<void> transform(meta::Object& object) const {
    if (!transform_) return {};
    auto changed = guarded([&] { return transform_(std::move(object)); });
    if (!changed) return changed.error().with_context("transform");
    object = std::move(*changed);
    return {};
  }

  /// Calls use(key) with a text that lives during the call only.
  template <class Use>
  Result<void> with_key(const meta::Object& object, Use use) const {
    if (!key_func_) {
      const meta::KeyText key(object);
      if (key.empty()) return no_key(object);
      use(key.view());
      return {};
    }
    const auto key = guarded([&] { return key_func_(object); });
    if (!key) return key.error().with_context("key of an object");
    if (key->empty()) return Error::config("key of an object: it is empty");
    use(std::string_view(*key));
    return {};
  }

  Result<std::string> key_of(const Delta& delta) const {
    return guarded([&] { return delta::key_of(delta, key_func_); });
  }

 private:
  template <class F>
  static auto guarded(F function) -> decltype(function()) {
    try {
      return function();
    } catch (...) {
      return current_exception_as_error();
    }
  }
  static Error no_key(const meta::Object& object) {
    if (!object) return Error::config("key of an object: it is null");
    return Error::config("key of an object: it has no metadata.name");
  }

  meta::KeyFunc key_func_;
  TransformFunc transform_;
};

/// Known objects whose last state is not known: they are buried without one.
void warn_of_vanished(const std::vector<std::string>& keys);

/// Runs a process function; an exception is its Error.
inline Result<void> run_process(const Queue::Process& process, Deltas& deltas, bool initial) {
  try {
    return process(deltas, initial);
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace kubexx::delta
