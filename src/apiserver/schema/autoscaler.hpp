#pragma once

#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {

/// Turns a HorizontalPodAutoscaler of autoscaling/v2 into one of v1 or back: the target of the CPU has a field of its
/// own in v1; what v1 has no field for (other metrics, behaviour, conditions) stands as JSON in annotations.
void convert_autoscaler(meta::Draft& draft, bool to_v1);

}  // namespace kubexx::apiserver
