#pragma once

namespace kubexx::detail {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;
}

/// A broken invariant of ours. Active in the dev and sanitizer presets; a release build never aborts.
#ifdef KUBEXX_CHECKED
#define KUBEXX_ASSERT(expression) \
  ((expression) ? void() : ::kubexx::detail::assertion_failed(#expression, __FILE__, __LINE__))
#else
#define KUBEXX_ASSERT(expression) ((void)0)
#endif
