package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// groupVersion is what is served of one version of a group: kinds with their short names, as in "Pod/po Service/svc".
type groupVersion struct {
	name        string
	namespaced  string
	clusterWide string
}

// One version of each kind: that of storage is the same, so that nothing has to be converted.
var served = []groupVersion{
	{"v1", "ConfigMap/cm Endpoints/ep Event/ev LimitRange/limits PersistentVolumeClaim/pvc Pod/po PodTemplate " +
		"ReplicationController/rc ResourceQuota/quota Secret Service/svc ServiceAccount/sa",
		"Namespace/ns Node/no PersistentVolume/pv"},
	{"admissionregistration.k8s.io/v1", "", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding " +
		"MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding " +
		"ValidatingWebhookConfiguration"},
	{"apps/v1", "ControllerRevision DaemonSet/ds Deployment/deploy ReplicaSet/rs StatefulSet/sts", ""},
	{"autoscaling/v2", "HorizontalPodAutoscaler/hpa", ""},
	{"batch/v1", "CronJob/cj Job", ""},
	{"certificates.k8s.io/v1", "", "CertificateSigningRequest/csr"},
	{"coordination.k8s.io/v1", "Lease", ""},
	{"discovery.k8s.io/v1", "EndpointSlice", ""},
	{"events.k8s.io/v1", "Event/ev", ""},
	{"flowcontrol.apiserver.k8s.io/v1", "", "FlowSchema PriorityLevelConfiguration"},
	{"networking.k8s.io/v1", "Ingress/ing NetworkPolicy/netpol", "IPAddress/ip IngressClass ServiceCIDR"},
	{"node.k8s.io/v1", "", "RuntimeClass"},
	{"policy/v1", "PodDisruptionBudget/pdb", ""},
	{"rbac.authorization.k8s.io/v1", "Role RoleBinding", "ClusterRole ClusterRoleBinding"},
	{"resource.k8s.io/v1", "ResourceClaim ResourceClaimTemplate", "DeviceClass ResourceSlice"},
	{"scheduling.k8s.io/v1", "", "PriorityClass/pc"},
	{"storage.k8s.io/v1", "CSIStorageCapacity",
		"CSIDriver CSINode StorageClass/sc VolumeAttachment VolumeAttributesClass/vac"},
}

type resource struct {
	kind        schema.GroupVersionKind
	plural      schema.GroupResource
	singular    schema.GroupResource
	shortNames  []string
	clusterWide bool
}

func newResource(version schema.GroupVersion, word string, clusterWide bool) resource {
	kind, short, hasShort := strings.Cut(word, "/")
	r := resource{kind: version.WithKind(kind), clusterWide: clusterWide}
	plural, singular := meta.UnsafeGuessKindToResource(r.kind)
	r.plural, r.singular = plural.GroupResource(), singular.GroupResource()
	if hasShort {
		r.shortNames = []string{short}
	}
	return r
}

func (g groupVersion) version() schema.GroupVersion {
	version, err := schema.ParseGroupVersion(g.name)
	must(err)
	return version
}

func (g groupVersion) resources() []resource {
	var all []resource
	for _, word := range strings.Fields(g.namespaced) {
		all = append(all, newResource(g.version(), word, false))
	}
	for _, word := range strings.Fields(g.clusterWide) {
		all = append(all, newResource(g.version(), word, true))
	}
	return all
}

// newScheme has the types of k8s.io/api and, under the same Go types, the internal ones that the libraries ask for.
func newScheme() *runtime.Scheme {
	types := runtime.NewScheme()
	must(scheme.AddToScheme(types))
	for _, g := range served {
		version := g.version()
		internal := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
		for _, r := range g.resources() {
			for _, name := range []string{r.kind.Kind, r.kind.Kind + "List"} {
				object, err := types.New(version.WithKind(name))
				must(err)
				types.AddKnownTypeWithName(internal.WithKind(name), object)
			}
		}
		must(types.SetVersionPriority(version))
	}
	must(types.AddFieldLabelConversionFunc(corev1.SchemeGroupVersion.WithKind("Pod"), podFieldLabel))
	unversioned := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(types, unversioned)
	types.AddUnversionedTypes(unversioned, &metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroup{},
		&metav1.APIGroupList{}, &metav1.APIResourceList{})
	return types
}

// podFieldLabel knows the fields that pods can be selected by here.
func podFieldLabel(label, value string) (string, string, error) {
	switch label {
	case "metadata.name", "metadata.namespace", "spec.nodeName", "status.phase":
		return label, value, nil
	default:
		return "", "", fmt.Errorf("field label not supported: %s", label)
	}
}
