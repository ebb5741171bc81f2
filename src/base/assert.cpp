#include "base/internal/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace kubexx::detail {

void assertion_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, expression);
  std::abort();
}

}  // namespace kubexx::detail
