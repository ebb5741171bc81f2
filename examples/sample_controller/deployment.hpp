// What both versions of the controller have in common.
#pragma once

#include "kubexx/api/apps/v1.hpp"
#include "kubexx/workqueue/rate_limiter.hpp"
#include "sample.hpp"
#include "samplecontroller/v1alpha1.hpp"

namespace sample {

using kubexx::api::apps::v1::DeploymentDraft;

inline constexpr const char* kComponent = "sample-controller";
inline constexpr const char* kSynced = "Synced";
inline constexpr const char* kSyncedMessage = "the Deployment is what this Foo asks for";
inline constexpr const char* kExists = "ErrResourceExists";

/// How failed Foos are retried: each later and later, all together 50 a second after a burst of 300.
kubexx::workqueue::RateLimiter rate_limiter(const Options& options);
/// How many replicas the Foo wants; one when it does not say.
std::int32_t wanted_replicas(const Foo& foo);
/// Fills in everything of a new Deployment but its name and owner.
void fill_deployment(const Foo& foo, DeploymentDraft& deployment);
/// What is said about a Deployment of that name that belongs to somebody else.
std::string exists_message(const Foo& foo);

}  // namespace sample
