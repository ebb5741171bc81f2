#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// A round through the interface, by C: what failed, or NULL.
const char* kubexx_c_round(const char* kubeconfig_text);

#ifdef __cplusplus
}
#endif
