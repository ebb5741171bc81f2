#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "c/turns.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/c.h"

struct kubexx_error {
  kubexx::Error error;
  kubexx_status status = KUBEXX_INTERNAL;
};

namespace kubexx::c {

/// Thrown inside the boundary: a status that the kind of an Error does not say.
struct Refused {
  kubexx_status status = KUBEXX_INTERNAL;
  Error error;
};

kubexx_status status_of(const Error& error) noexcept;
/// As a callback gets it.
inline kubexx_error as_c(const Error& error) {
  return {error, status_of(error)};
}

[[noreturn]] void refuse(kubexx_status status, std::string message);
[[noreturn]] inline void invalid(std::string message) {
  refuse(KUBEXX_INVALID_ARGUMENT, std::move(message));
}
[[noreturn]] inline void misuse(std::string message) {
  refuse(KUBEXX_MISUSE, std::move(message));
}
/// What the caller gave as this parameter; NULL is refused.
template <class T>
T& needed(T* given, const char* parameter) {
  if (!given) invalid(std::string(parameter) + " is NULL");
  return *given;
}
/// Of a text that the caller wrote.
template <class T>
T well_formed(Result<T> parsed) {
  if (!parsed) invalid(parsed.error().message());
  return *std::move(parsed);
}
inline std::string text_or_empty(const char* text) {
  return text ? text : "";
}
std::string needed_text(const char* text, const char* parameter);
/// Text with a length; `size` 0 with NULL is none.
std::string needed_body(const char* body, std::size_t size);

inline kubexx_view view(std::string_view text) noexcept {
  return {text.empty() ? "" : text.data(), text.size()};
}
/// For kubexx_text_free(); either pointer may be null.
void hand_out(const std::string& text, char** out, std::size_t* size);

/// In a catch block: the status of what was thrown, and its error where the caller wants one.
kubexx_status caught(kubexx_error** error) noexcept;

/// The one boundary of functions that can fail: what `body` throws becomes a status and an error.
template <class F>
kubexx_status guarded(kubexx_error** error, F&& body) noexcept {
  const Entry entry;
  if (error) *error = nullptr;
  try {
    std::forward<F>(body)();
    return KUBEXX_OK;
  } catch (...) {
    return caught(error);
  }
}

/// That of functions that answer a value: `fallback` where something was thrown.
template <class T, class F>
T guarded_or(T fallback, F&& body) noexcept {
  const Entry entry;
  try {
    return std::forward<F>(body)();
  } catch (...) {
    return fallback;
  }
}

/// That of functions that free or stop: what goes wrong there is reported, for nobody is told.
void reported(const char* where) noexcept;
template <class F>
void ending(const char* where, F&& body) noexcept {
  const Entry entry;
  try {
    std::forward<F>(body)();
  } catch (...) {
    reported(where);
  }
}

}  // namespace kubexx::c
