package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func useProtobuf(config *rest.Config) {
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = config.ContentType + ",application/json"
}

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// podInformer is an informer of all pods, and what starts it.
func podInformer(config *rest.Config, kind string) (cache.SharedIndexInformer, func(<-chan struct{})) {
	if kind == "dynamic" {
		client, err := dynamic.NewForConfig(config)
		must(err)
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		return factory.ForResource(podsResource).Informer(), factory.Start
	}
	if kind == "metadata" {
		client, err := metadata.NewForConfig(config)
		must(err)
		factory := metadatainformer.NewSharedInformerFactory(client, 0)
		return factory.ForResource(podsResource).Informer(), factory.Start
	}
	if kind == "typed" {
		useProtobuf(config)
	}
	client, err := kubernetes.NewForConfig(config)
	must(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	return factory.Core().V1().Pods().Informer(), factory.Start
}

// memory reads a line of /proc/self/status, in MB.
func memory(name string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, name+":") {
			kilobytes, err := strconv.ParseFloat(strings.Fields(line)[1], 64)
			must(err)
			return kilobytes / 1024
		}
	}
	return 0
}

// syncPods does what sync_client does with the same arguments; "typed-json" is typed without protobuf.
func syncPods(config *rest.Config, kind string) {
	start, cpu := time.Now(), cpuSeconds()
	informer, run := podInformer(config, kind)
	stop := make(chan struct{})
	run(stop)
	cache.WaitForCacheSync(stop, informer.HasSynced)
	seconds, used := time.Since(start).Seconds(), cpuSeconds()-cpu
	fmt.Printf("%d\t%.4g\t%.4g\t%.4g\t%.4g\n", len(informer.GetStore().ListKeys()), seconds, used, memory("VmRSS"), memory("VmHWM"))
}

// seenVersion lets one goroutine wait for the version that another has seen.
type seenVersion struct {
	mutex   sync.Mutex
	changed *sync.Cond
	version string
	at      time.Time
}

func (s *seenVersion) set(version string) {
	now := time.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.version, s.at = version, now
	s.changed.Broadcast()
}

func (s *seenVersion) waitFor(version string) time.Time {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for s.version != version {
		s.changed.Wait()
	}
	return s.at
}

func latency(config *rest.Config, updates int) {
	useProtobuf(config)
	config.QPS = -1 // ours limits nothing either
	client, err := kubernetes.NewForConfig(config)
	must(err)
	ctx := context.Background()
	configMaps := client.CoreV1().ConfigMaps("default")
	object, err := configMaps.Create(ctx, &v1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "clock"}, Data: map[string]string{"n": "0"}}, metav1.CreateOptions{})
	must(err)
	seen := &seenVersion{}
	seen.changed = sync.NewCond(&seen.mutex)
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, now interface{}) { seen.set(now.(*v1.ConfigMap).ResourceVersion) },
	})
	stop := make(chan struct{})
	factory.Start(stop)
	cache.WaitForCacheSync(stop, informer.HasSynced)
	milliseconds := make([]float64, 0, updates)
	for i := 0; i < updates; i++ {
		object = object.DeepCopy()
		object.Data["n"] = strconv.Itoa(i + 1)
		start := time.Now()
		object, err = configMaps.Update(ctx, object, metav1.UpdateOptions{})
		must(err)
		milliseconds = append(milliseconds, seen.waitFor(object.ResourceVersion).Sub(start).Seconds()*1000)
	}
	must(configMaps.Delete(ctx, "clock", metav1.DeleteOptions{}))
	sort.Float64s(milliseconds)
	fmt.Printf("%.4g\t%.4g\n", milliseconds[updates/2], milliseconds[updates*99/100])
}

// withServer runs what `--server KUBECONFIG KIND [UPDATES]` asks for.
func withServer(arguments []string) {
	config, err := clientcmd.BuildConfigFromFlags("", arguments[0])
	must(err)
	if arguments[1] != "latency" {
		syncPods(config, arguments[1])
		return
	}
	updates, err := strconv.Atoi(arguments[2])
	must(err)
	latency(config, updates)
}
