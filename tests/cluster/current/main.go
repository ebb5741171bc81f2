// A Kubernetes API server for tests, of the libraries k8s.io/apiserver and k8s.io/apiextensions-apiserver and the types
// of k8s.io/api. Storage in etcd, watch cache, WatchList, patches, server-side apply, protobuf, discovery and custom
// resources are those of kube-apiserver. What is in k8s.io/kubernetes is not here: defaults and validation of single
// kinds, columns, subresources other than status, admission, RBAC, garbage collection, the life of namespaces. Whoever
// has a token or a certificate may do everything. The flags that it has are called as those of kube-apiserver.
//
//go:debug default=go1.26
package main

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/pflag"
	crdserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/x509"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/openapi"

	"kubexx-test-apiserver/definitions"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// flags are what the command line says.
type flags struct {
	run         *options.ServerRunOptions
	recommended *options.RecommendedOptions
	tokenFile   string
	clientCA    string
}

func parseFlags(codecs serializer.CodecFactory, versions []schema.GroupVersion) *flags {
	f := &flags{run: options.NewServerRunOptions(),
		recommended: options.NewRecommendedOptions("/registry", codecs.LegacyCodec(versions...))}
	// These would ask a cluster beside this server.
	r := f.recommended
	r.Authentication, r.Authorization, r.CoreAPI, r.Admission = nil, nil, nil, nil
	r.Features.EnablePriorityAndFairness = false
	r.Etcd.DefaultStorageMediaType = runtime.ContentTypeProtobuf
	set := pflag.NewFlagSet("apiserver", pflag.ExitOnError)
	f.run.AddUniversalFlags(set)
	r.AddFlags(set)
	set.StringVar(&f.tokenFile, "token-auth-file", "", "tokens of those who may do everything, as CSV")
	set.StringVar(&f.clientCA, "client-ca-file", "", "the authority of certificates of those who may do everything")
	must(set.Parse(os.Args[1:]))
	must(f.run.ComponentGlobalsRegistry.Set())
	must(f.run.Complete())
	must(r.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}))
	return f
}

// authenticate makes tokens and certificates be looked at.
func (f *flags) authenticate(config *server.Config) {
	var ways []authenticator.Request
	if f.tokenFile != "" {
		tokens, err := tokenfile.NewCSV(f.tokenFile)
		must(err)
		ways = append(ways, bearertoken.New(tokens))
	}
	if f.clientCA != "" {
		authority, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca", f.clientCA)
		must(err)
		must(config.Authentication.ApplyClientCert(authority, config.SecureServing))
		ways = append(ways, x509.NewDynamic(authority.VerifyOptions, x509.CommonNameUserConversion))
	}
	config.Authentication.Authenticator = union.New(ways...)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
}

func (f *flags) config(codecs serializer.CodecFactory, types ...*runtime.Scheme) *server.RecommendedConfig {
	config := server.NewRecommendedConfig(codecs)
	must(f.run.ApplyTo(&config.Config))
	must(f.recommended.ApplyTo(config))
	all := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(definitions.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(types...)
	config.OpenAPIConfig = server.DefaultOpenAPIConfig(all, namer)
	config.OpenAPIConfig.Info.Title = "Kubernetes"
	config.OpenAPIV3Config = server.DefaultOpenAPIV3Config(all, namer)
	f.authenticate(&config.Config)
	return config
}

func install(front *server.GenericAPIServer, config *server.RecommendedConfig, types *runtime.Scheme,
	codecs serializer.CodecFactory) {
	for _, g := range served {
		version := g.version()
		storages := map[string]rest.Storage{}
		for _, r := range g.resources() {
			r.addTo(storages, types, config.RESTOptionsGetter)
		}
		info := server.NewDefaultAPIGroupInfo(version.Group, types, metav1.ParameterCodec, codecs)
		info.PrioritizedVersions = []schema.GroupVersion{version}
		info.VersionedResourcesStorageMap[version.Version] = storages
		if version.Group == "" {
			must(front.InstallLegacyAPIGroup(server.DefaultLegacyAPIPrefix, &info))
		} else {
			must(front.InstallAPIGroup(&info))
		}
	}
}

func main() {
	types := newScheme()
	codecs := serializer.NewCodecFactory(types)
	f := parseFlags(codecs, types.PrioritizedVersionsAllGroups())

	// Custom resources come behind the built-in ones, as in kube-apiserver; the one in front listens for both.
	config := f.config(codecs, types, crdserver.Scheme)
	behind := f.config(crdserver.Codecs, crdserver.Scheme, types)
	behind.SecureServing, behind.LoopbackClientConfig = config.SecureServing, config.LoopbackClientConfig
	custom := newCustomResources(behind, *f.recommended.Etcd)
	config.AggregatedDiscoveryGroupManager = custom.GenericAPIServer.AggregatedDiscoveryGroupManager
	front, err := config.Complete().New("apiserver", custom.GenericAPIServer)
	must(err)
	install(front, config, types, codecs)
	listGroups(custom, front)
	if err := front.PrepareRun().RunWithContext(server.SetupSignalContext()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
