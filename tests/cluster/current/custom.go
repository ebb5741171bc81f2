package main

import (
	"slices"

	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	crdlisters "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	crdoptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/tools/cache"

	"go.opentelemetry.io/otel/trace/noop"
)

// newCustomResources makes the server of custom resources, which has their definitions too.
func newCustomResources(config *server.RecommendedConfig, etcd options.EtcdOptions) *crdserver.CustomResourceDefinitions {
	storage := storagebackend.NewDefaultConfig("/registry/apiextensions.k8s.io",
		crdserver.Codecs.LegacyCodec(crdv1.SchemeGroupVersion))
	storage.Transport = etcd.StorageConfig.Transport
	etcd.StorageConfig = *storage
	etcd.SkipHealthEndpoints = true // the configuration has them already
	must(etcd.ApplyTo(&config.Config))
	enabled := serverstorage.NewResourceConfig()
	enabled.EnableVersions(crdv1.SchemeGroupVersion)
	config.MergedResourceConfig = enabled
	whole := crdserver.Config{GenericConfig: config, ExtraConfig: crdserver.ExtraConfig{
		CRDRESTOptionsGetter: crdoptions.NewCRDRESTOptionsGetter(etcd, nil, config.StorageObjectCountTracker),
		MasterCount:          1,
		ServiceResolver:      webhook.NewDefaultServiceResolver(),
		AuthResolverWrapper: webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig,
			noop.NewTracerProvider()),
	}}
	made, err := whole.Complete().New(server.NewEmptyDelegate())
	must(err)
	return made
}

// listGroups keeps the groups of custom resources in the older form of /apis. In a whole cluster the aggregator does.
func listGroups(custom *crdserver.CustomResourceDefinitions, front *server.GenericAPIServer) {
	front.DiscoveryGroupManager.AddGroup(apiGroup(crdv1.GroupName, []string{"v1"}))
	definitions := custom.Informers.Apiextensions().V1().CustomResourceDefinitions()
	changed := func(object any) {
		if gone, is := object.(cache.DeletedFinalStateUnknown); is {
			object = gone.Obj
		}
		group := object.(*crdv1.CustomResourceDefinition).Spec.Group
		if versions := servedVersions(definitions.Lister(), group); len(versions) > 0 {
			front.DiscoveryGroupManager.AddGroup(apiGroup(group, versions))
		} else {
			front.DiscoveryGroupManager.RemoveGroup(group)
		}
	}
	_, err := definitions.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    changed,
		UpdateFunc: func(_, object any) { changed(object) },
		DeleteFunc: changed,
	})
	must(err)
}

func servedVersions(definitions crdlisters.CustomResourceDefinitionLister, group string) []string {
	all, err := definitions.List(labels.Everything())
	must(err)
	var versions []string
	for _, definition := range all {
		for _, version := range definition.Spec.Versions {
			if definition.Spec.Group == group && version.Served && !slices.Contains(versions, version.Name) {
				versions = append(versions, version.Name)
			}
		}
	}
	slices.Sort(versions)
	return versions
}

func apiGroup(name string, versions []string) metav1.APIGroup {
	group := metav1.APIGroup{Name: name}
	for _, version := range versions {
		group.Versions = append(group.Versions,
			metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}
