#pragma once

namespace kubexx {

/// Asks the processor to bring memory that will be read, or written, soon.
///
/// The empty asm is needed: GCC takes a function that does nothing but prefetch for one without effect and drops its
/// calls.
inline void prefetch(const void* address) noexcept {
  __builtin_prefetch(address);
  asm volatile("");
}
inline void prefetch_to_write(const void* address) noexcept {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

}  // namespace kubexx
