#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/clientset/admissionregistration.hpp"
#include "kubexx/clientset/apiserverinternal.hpp"
#include "kubexx/clientset/apps.hpp"
#include "kubexx/clientset/autoscaling.hpp"
#include "kubexx/clientset/batch.hpp"
#include "kubexx/clientset/certificates.hpp"
#include "kubexx/clientset/coordination.hpp"
#include "kubexx/clientset/core.hpp"
#include "kubexx/clientset/discovery.hpp"
#include "kubexx/clientset/events.hpp"
#include "kubexx/clientset/extensions.hpp"
#include "kubexx/clientset/flowcontrol.hpp"
#include "kubexx/clientset/networking.hpp"
#include "kubexx/clientset/node.hpp"
#include "kubexx/clientset/policy.hpp"
#include "kubexx/clientset/rbac.hpp"
#include "kubexx/clientset/resource.hpp"
#include "kubexx/clientset/scheduling.hpp"
#include "kubexx/clientset/storage.hpp"
#include "kubexx/clientset/storagemigration.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "paths.hpp"

namespace kubexx {
namespace {

/// Asks for every informer that client-go 0.36 has, by the chain that a user writes.
template <class Chain>
void for_every_chain(informer::SharedInformerFactory& factory, const Chain& chain) {
  chain(factory.core().v1().component_statuses().informer());
  chain(factory.core().v1().config_maps().informer());
  chain(factory.core().v1().endpoints().informer());
  chain(factory.core().v1().events().informer());
  chain(factory.core().v1().limit_ranges().informer());
  chain(factory.core().v1().namespaces().informer());
  chain(factory.core().v1().nodes().informer());
  chain(factory.core().v1().persistent_volume_claims().informer());
  chain(factory.core().v1().persistent_volumes().informer());
  chain(factory.core().v1().pods().informer());
  chain(factory.core().v1().pod_templates().informer());
  chain(factory.core().v1().replication_controllers().informer());
  chain(factory.core().v1().resource_quotas().informer());
  chain(factory.core().v1().secrets().informer());
  chain(factory.core().v1().service_accounts().informer());
  chain(factory.core().v1().services().informer());
  chain(factory.admissionregistration().v1().mutating_admission_policies().informer());
  chain(factory.admissionregistration().v1().mutating_admission_policy_bindings().informer());
  chain(factory.admissionregistration().v1().mutating_webhook_configurations().informer());
  chain(factory.admissionregistration().v1().validating_admission_policies().informer());
  chain(factory.admissionregistration().v1().validating_admission_policy_bindings().informer());
  chain(factory.admissionregistration().v1().validating_webhook_configurations().informer());
  chain(factory.admissionregistration().v1alpha1().mutating_admission_policies().informer());
  chain(factory.admissionregistration().v1alpha1().mutating_admission_policy_bindings().informer());
  chain(factory.admissionregistration().v1beta1().mutating_admission_policies().informer());
  chain(factory.admissionregistration().v1beta1().mutating_admission_policy_bindings().informer());
  chain(factory.apps().v1().controller_revisions().informer());
  chain(factory.apps().v1().daemon_sets().informer());
  chain(factory.apps().v1().deployments().informer());
  chain(factory.apps().v1().replica_sets().informer());
  chain(factory.apps().v1().stateful_sets().informer());
  chain(factory.autoscaling().v1().horizontal_pod_autoscalers().informer());
  chain(factory.autoscaling().v2().horizontal_pod_autoscalers().informer());
  chain(factory.batch().v1().cron_jobs().informer());
  chain(factory.batch().v1().jobs().informer());
  chain(factory.certificates().v1().certificate_signing_requests().informer());
  chain(factory.certificates().v1alpha1().cluster_trust_bundles().informer());
  chain(factory.certificates().v1beta1().cluster_trust_bundles().informer());
  chain(factory.certificates().v1beta1().pod_certificate_requests().informer());
  chain(factory.coordination().v1().leases().informer());
  chain(factory.coordination().v1alpha2().lease_candidates().informer());
  chain(factory.coordination().v1beta1().lease_candidates().informer());
  chain(factory.discovery().v1().endpoint_slices().informer());
  chain(factory.events().v1().events().informer());
  chain(factory.flowcontrol().v1().flow_schemas().informer());
  chain(factory.flowcontrol().v1().priority_level_configurations().informer());
  chain(factory.internal().v1alpha1().storage_versions().informer());
  chain(factory.networking().v1().ingress_classes().informer());
  chain(factory.networking().v1().ingresses().informer());
  chain(factory.networking().v1().ip_addresses().informer());
  chain(factory.networking().v1().network_policies().informer());
  chain(factory.networking().v1().service_cidrs().informer());
  chain(factory.networking().v1beta1().ip_addresses().informer());
  chain(factory.networking().v1beta1().service_cidrs().informer());
  chain(factory.node().v1().runtime_classes().informer());
  chain(factory.policy().v1().pod_disruption_budgets().informer());
  chain(factory.rbac().v1().cluster_role_bindings().informer());
  chain(factory.rbac().v1().cluster_roles().informer());
  chain(factory.rbac().v1().role_bindings().informer());
  chain(factory.rbac().v1().roles().informer());
  chain(factory.resource().v1().device_classes().informer());
  chain(factory.resource().v1().resource_claims().informer());
  chain(factory.resource().v1().resource_claim_templates().informer());
  chain(factory.resource().v1().resource_slices().informer());
  chain(factory.resource().v1alpha3().device_taint_rules().informer());
  chain(factory.resource().v1alpha3().resource_pool_status_requests().informer());
  chain(factory.resource().v1beta1().device_classes().informer());
  chain(factory.resource().v1beta1().resource_claims().informer());
  chain(factory.resource().v1beta1().resource_claim_templates().informer());
  chain(factory.resource().v1beta1().resource_slices().informer());
  chain(factory.resource().v1beta2().device_classes().informer());
  chain(factory.resource().v1beta2().device_taint_rules().informer());
  chain(factory.resource().v1beta2().resource_claims().informer());
  chain(factory.resource().v1beta2().resource_claim_templates().informer());
  chain(factory.resource().v1beta2().resource_slices().informer());
  chain(factory.scheduling().v1().priority_classes().informer());
  chain(factory.scheduling().v1alpha2().pod_groups().informer());
  chain(factory.scheduling().v1alpha2().workloads().informer());
  chain(factory.storage().v1().csi_drivers().informer());
  chain(factory.storage().v1().csi_nodes().informer());
  chain(factory.storage().v1().csi_storage_capacities().informer());
  chain(factory.storage().v1().storage_classes().informer());
  chain(factory.storage().v1().volume_attachments().informer());
  chain(factory.storage().v1().volume_attributes_classes().informer());
  chain(factory.storage().v1beta1().volume_attributes_classes().informer());
  chain(factory.storagemigration().v1beta1().storage_version_migrations().informer());
  chain(factory.admissionregistration().v1alpha1().validating_admission_policies().informer());
  chain(factory.admissionregistration().v1alpha1().validating_admission_policy_bindings().informer());
  chain(factory.admissionregistration().v1beta1().mutating_webhook_configurations().informer());
  chain(factory.admissionregistration().v1beta1().validating_admission_policies().informer());
  chain(factory.admissionregistration().v1beta1().validating_admission_policy_bindings().informer());
  chain(factory.admissionregistration().v1beta1().validating_webhook_configurations().informer());
  chain(factory.apps().v1beta1().controller_revisions().informer());
  chain(factory.apps().v1beta1().deployments().informer());
  chain(factory.apps().v1beta1().stateful_sets().informer());
  chain(factory.apps().v1beta2().controller_revisions().informer());
  chain(factory.apps().v1beta2().daemon_sets().informer());
  chain(factory.apps().v1beta2().deployments().informer());
  chain(factory.apps().v1beta2().replica_sets().informer());
  chain(factory.apps().v1beta2().stateful_sets().informer());
  chain(factory.batch().v1beta1().cron_jobs().informer());
  chain(factory.certificates().v1beta1().certificate_signing_requests().informer());
  chain(factory.coordination().v1beta1().leases().informer());
  chain(factory.discovery().v1beta1().endpoint_slices().informer());
  chain(factory.events().v1beta1().events().informer());
  chain(factory.extensions().v1beta1().daemon_sets().informer());
  chain(factory.extensions().v1beta1().deployments().informer());
  chain(factory.extensions().v1beta1().ingresses().informer());
  chain(factory.extensions().v1beta1().network_policies().informer());
  chain(factory.extensions().v1beta1().replica_sets().informer());
  chain(factory.flowcontrol().v1beta1().flow_schemas().informer());
  chain(factory.flowcontrol().v1beta1().priority_level_configurations().informer());
  chain(factory.flowcontrol().v1beta2().flow_schemas().informer());
  chain(factory.flowcontrol().v1beta2().priority_level_configurations().informer());
  chain(factory.flowcontrol().v1beta3().flow_schemas().informer());
  chain(factory.flowcontrol().v1beta3().priority_level_configurations().informer());
  chain(factory.networking().v1beta1().ingresses().informer());
  chain(factory.networking().v1beta1().ingress_classes().informer());
  chain(factory.node().v1alpha1().runtime_classes().informer());
  chain(factory.node().v1beta1().runtime_classes().informer());
  chain(factory.policy().v1beta1().pod_disruption_budgets().informer());
  chain(factory.rbac().v1alpha1().cluster_roles().informer());
  chain(factory.rbac().v1alpha1().cluster_role_bindings().informer());
  chain(factory.rbac().v1alpha1().roles().informer());
  chain(factory.rbac().v1alpha1().role_bindings().informer());
  chain(factory.rbac().v1beta1().cluster_roles().informer());
  chain(factory.rbac().v1beta1().cluster_role_bindings().informer());
  chain(factory.rbac().v1beta1().roles().informer());
  chain(factory.rbac().v1beta1().role_bindings().informer());
  chain(factory.scheduling().v1beta1().priority_classes().informer());
  chain(factory.storage().v1alpha1().csi_storage_capacities().informer());
  chain(factory.storage().v1alpha1().volume_attachments().informer());
  chain(factory.storage().v1alpha1().volume_attributes_classes().informer());
  chain(factory.storage().v1beta1().csi_drivers().informer());
  chain(factory.storage().v1beta1().csi_nodes().informer());
  chain(factory.storage().v1beta1().csi_storage_capacities().informer());
  chain(factory.storage().v1beta1().storage_classes().informer());
  chain(factory.storage().v1beta1().volume_attachments().informer());
}

std::string text_of(const meta::GroupVersionResource& resource) {
  return resource.api_version() + " " + resource.resource;
}

TEST(AllChainsTest, EachListsAndWatchesOnceAgainstTheEmbeddedServer) {
  apiserver::Options options;
  options.api_all = true;
  apiserver::Server server(options);
  informer::SharedInformerFactory factory(testkit::client(server));
  std::set<std::string> asked;
  for_every_chain(factory, [&](const auto& informer) { asked.insert(text_of(informer.shared()->resource())); });
  ASSERT_EQ(asked.size(), 138U);

  factory.start();
  const auto synced = factory.wait_for_cache_sync();

  EXPECT_TRUE(synced);
  for (const auto& informer : factory.informers()) {
    EXPECT_TRUE(informer->has_synced()) << text_of(informer->resource());
    EXPECT_FALSE(informer->last_sync_resource_version().empty()) << text_of(informer->resource());
  }
}

TEST(AllChainsTest, EveryChainIsFoundByItsResourceToo) {
  apiserver::Server server;
  informer::SharedInformerFactory factory(testkit::client(server));
  for_every_chain(factory, [&](const auto& informer) {
    const auto same = factory.for_resource(informer.shared()->resource());
    ASSERT_TRUE(same) << text_of(informer.shared()->resource());
  });
  EXPECT_EQ(factory.informers().size(), 138U);
}

TEST(AllChainsTest, WhatARealServerListsAndWatchesHasAChain) {
  std::filesystem::path folder;
  for (const auto* up : {"/../shared/traces", "/../../shared/traces"}) {
    if (std::filesystem::is_directory(std::string(KUBEXX_SOURCE_DIR) + up))
      folder = std::string(KUBEXX_SOURCE_DIR) + up;
  }
  if (folder.empty()) GTEST_SKIP() << "no recorded exchanges beside this source tree";
  apiserver::Server server;
  informer::SharedInformerFactory factory(testkit::client(server));
  std::set<std::string> asked;
  for_every_chain(factory, [&](const auto& informer) { asked.insert(text_of(informer.shared()->resource())); });
  // client-go has no informers for what other servers serve.
  const std::set<std::string> others = {"apiregistration.k8s.io", "apiextensions.k8s.io"};
  std::size_t compared = 0;
  for (const auto* name : {"009-discovery-aggregated-api.body", "010-discovery-aggregated-apis.body"}) {
    std::ifstream file(folder / name, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto groups = meta::parse_json(text).value();
    for (const auto group : groups["items"].items()) {
      const std::string group_name(group["metadata"]["name"].string());
      for (const auto version : group["versions"].items()) {
        for (const auto resource : version["resources"].items()) {
          const meta::GroupVersionResource gvr{group_name, std::string(version["version"].string()),
                                               std::string(resource["resource"].string())};
          bool watched = false;
          for (const auto verb : resource["verbs"].items()) watched = watched || verb.string() == "watch";
          if (!watched || others.contains(group_name) || group_name.ends_with(".example.com")) continue;
          if (!codec::find_builtin(gvr) && group_name.find(".k8s.io") == std::string::npos && !group_name.empty())
            continue;
          EXPECT_TRUE(asked.contains(text_of(gvr))) << text_of(gvr);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 40U);
}

/// Against the server of ./dev test-cluster.
class ClusterChainsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* file = std::getenv("KUBECONFIG_UNDER_TEST");
    if (file == nullptr || *file == '\0')
      GTEST_SKIP() << "KUBECONFIG_UNDER_TEST is not set (./dev test-cluster sets it)";
    rest::LoadOptions options;
    options.kubeconfig = file;
    const auto config = rest::Config::load(options);
    ASSERT_TRUE(config) << config.error();
    client_ = rest::Client::create(*config).value();
    const auto found = client::discover(*client_);
    ASSERT_TRUE(found) << found.error();
    // client-go has no informers for what other servers serve, nor for custom resources.
    std::set<std::string> others = {"apiregistration.k8s.io", "apiextensions.k8s.io"};
    const auto definitions =
        client::ResourceApi(*client_, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"}).list_all();
    ASSERT_TRUE(definitions) << definitions.error();
    for (const auto& definition : definitions->items)
      others.insert(std::string(definition["spec"]["group"].string_or("")));
    for (const auto& resource : found->resources) {
      const auto& group = resource.resource.group;
      const bool ours = group.find('.') == std::string::npos || group.ends_with(".k8s.io");
      if (ours && resource.can("list") && resource.can("watch") && !others.contains(group))
        served_.insert(text_of(resource.resource));
    }
  }
  std::optional<rest::Client> client_;
  std::set<std::string> served_;
};

TEST_F(ClusterChainsTest, WhatTheServerListsAndWatchesHasAChainUnlessClientGoDroppedIt) {
  informer::SharedInformerFactory factory(*client_);
  std::set<std::string> asked;
  for_every_chain(factory, [&](const auto& informer) { asked.insert(text_of(informer.shared()->resource())); });
  // Served by 1.20; client-go 0.36 has no informer for them any more.
  const std::set<std::string> dropped = {
      "autoscaling/v2beta1 horizontalpodautoscalers",
      "autoscaling/v2beta2 horizontalpodautoscalers",
      "batch/v2alpha1 cronjobs",
      "flowcontrol.apiserver.k8s.io/v1alpha1 flowschemas",
      "flowcontrol.apiserver.k8s.io/v1alpha1 prioritylevelconfigurations",
      "policy/v1beta1 podsecuritypolicies",
      "scheduling.k8s.io/v1alpha1 priorityclasses",
  };

  std::size_t compared = 0;
  for (const auto& resource : served_) {
    EXPECT_TRUE(asked.contains(resource) || dropped.contains(resource)) << resource;
    compared += asked.contains(resource) ? 1 : 0;
  }

  EXPECT_GE(compared, 45U);
}

TEST_F(ClusterChainsTest, EveryChainTheServerServesSyncs) {
  std::set<meta::GroupVersionResource> wanted;
  {
    informer::SharedInformerFactory all(*client_);
    for_every_chain(all, [&](const auto& informer) {
      if (served_.contains(text_of(informer.shared()->resource()))) wanted.insert(informer.shared()->resource());
    });
  }
  informer::SharedInformerFactory factory(*client_);
  for (const auto& resource : wanted) ASSERT_TRUE(factory.for_resource(resource)) << text_of(resource);

  factory.start();
  const auto synced = factory.wait_for_cache_sync({}, {.fail_fast = true, .timeout = std::chrono::seconds(60)});

  EXPECT_TRUE(synced) << (synced.as_error() ? synced.as_error()->message() : "");
  EXPECT_EQ(factory.informers().size(), wanted.size());
}

}  // namespace
}  // namespace kubexx
