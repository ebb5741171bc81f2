#pragma once

// Marks for what borrows: clang (-Wdangling, part of -Wall) warns where it sees that a view outlives what it was taken
// from. It sees the first step: `auto spec = make()["spec"];`, not what is taken from a view of a temporary.
#if defined(__clang__)
#define KUBEXX_LIFETIMEBOUND [[clang::lifetimebound]]
#define KUBEXX_POINTER [[gsl::Pointer]]
#define KUBEXX_OWNER [[gsl::Owner]]
#else
#define KUBEXX_LIFETIMEBOUND
#define KUBEXX_POINTER
#define KUBEXX_OWNER
#endif
