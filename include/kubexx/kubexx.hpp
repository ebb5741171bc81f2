#pragma once

/// The way in, for the first hour: informers, listers and clients of what everybody has (core/v1, apps/v1),
/// controllers, events and leader election. Other groups: "kubexx/clientset/<group>.hpp". A program that wants to
/// compile in less time includes what it uses.

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/base/version.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/controller/controller.hpp"
#include "kubexx/controller/owner_reference.hpp"
#include "kubexx/controller/writes.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/field_selector.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/yaml.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/rest/config.hpp"

// A library that was built with less of the typed API (KUBEXX_TYPED) has less of these.
#if __has_include("kubexx/clientset/clientset.hpp")
#include "kubexx/clientset/clientset.hpp"
#include "kubexx/clientset/informers.hpp"
#endif
#if __has_include("kubexx/clientset/apps/v1.hpp")
#include "kubexx/clientset/apps/v1.hpp"
#endif
#if __has_include("kubexx/clientset/core/v1.hpp")
#include "kubexx/clientset/core/v1.hpp"
#endif
