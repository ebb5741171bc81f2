#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "kubexx/base/error.hpp"
#include "kubexx/base/lifetime.hpp"

namespace kubexx {

/// A value or the Error that took its place, with the names of std::expected. `value()` throws kubexx::Exception.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  template <class U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> && !std::is_same_v<std::remove_cvref_t<U>, Result>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  /// Whether there is a value and no error.
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & noexcept KUBEXX_LIFETIMEBOUND { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept KUBEXX_LIFETIMEBOUND { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept KUBEXX_LIFETIMEBOUND { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept KUBEXX_LIFETIMEBOUND { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept KUBEXX_LIFETIMEBOUND { return std::get_if<0>(&state_); }

  /// The value; throws Exception where there is none.
  T& value() & KUBEXX_LIFETIMEBOUND {
    require();
    return **this;
  }
  const T& value() const& KUBEXX_LIFETIMEBOUND {
    require();
    return **this;
  }
  T&& value() && KUBEXX_LIFETIMEBOUND {
    require();
    return std::move(**this);
  }
  /// The value, or this one where there is none.
  template <class U>
  T value_or(U&& fallback) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(fallback));
  }

  /// The error. There must be one.
  const Error& error() const& noexcept KUBEXX_LIFETIMEBOUND { return *std::get_if<1>(&state_); }
  Error&& error() && noexcept KUBEXX_LIFETIMEBOUND { return std::move(*std::get_if<1>(&state_)); }

  /// Goes on with the value: to another Result, or to another value. An error is passed on.
  template <class F>
  auto and_then(F&& next) && -> std::invoke_result_t<F, T&&> {
    if (!has_value()) return std::move(*this).error();
    return std::forward<F>(next)(std::move(**this));
  }
  template <class F>
  auto transform(F&& next) && -> Result<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return std::move(*this).error();
    if constexpr (std::is_void_v<std::invoke_result_t<F, T&&>>) {
      std::forward<F>(next)(std::move(**this));
      return {};
    } else {
      return std::forward<F>(next)(std::move(**this));
    }
  }
  /// Adds context to the error, if there is one: `return read(path).context("load kubeconfig")`.
  Result context(std::string_view text) && {
    if (has_value()) return std::move(*this);
    return error().with_context(text);
  }

 private:
  void require() const {
    if (!has_value()) detail::throw_error(error());
  }
  std::variant<T, Error> state_;
};

/// Whether something succeeded, and the error if it did not.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::in_place_index<1>, std::move(error)) {}

  /// Whether it succeeded.
  bool has_value() const noexcept { return error_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  /// Throws Exception where it did not.
  void value() const {
    if (!has_value()) detail::throw_error(error());
  }
  /// The error. There must be one.
  const Error& error() const noexcept KUBEXX_LIFETIMEBOUND { return *std::get_if<1>(&error_); }

  /// Goes on where it succeeded. An error is passed on.
  template <class F>
  auto and_then(F&& next) && -> std::invoke_result_t<F> {
    if (!has_value()) return error();
    return std::forward<F>(next)();
  }
  /// Words before the text of the error, if there is one.
  Result context(std::string_view text) && {
    if (has_value()) return {};
    return error().with_context(text);
  }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace kubexx
