#pragma once

#include <kubexx/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What docs/c.md shows: the node of the pod default/web, from the cache. 0: nothing went wrong.
int kubexx_c_reading(const kubexx_options* options, char* node_name, size_t size);

#ifdef __cplusplus
}
#endif
