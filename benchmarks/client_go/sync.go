package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// useWatchList says how informers ask for their first state; to be called before anything of client-go.
func useWatchList(wanted bool) {
	must(os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(wanted)))
}

// useContentType is said for JSON too: typed clients prefer protobuf.
func useContentType(config *rest.Config, name string) {
	config.ContentType = "application/json"
	if name == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	config.AcceptContentTypes = config.ContentType
}

// wire counts what comes from the server, and sees whether it is what was asked for.
type wire struct {
	next         http.RoundTripper
	bytes        atomic.Uint64
	mutex        sync.Mutex
	contentTypes map[string]bool
	watchLists   int
}

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := w.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	contentType, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	w.contentTypes[contentType] = true
	if answer.StatusCode == http.StatusOK && request.URL.Query().Get("sendInitialEvents") == "true" {
		w.watchLists++
	}
	answer.Body = &countedBody{answer.Body, &w.bytes}
	return answer, nil
}

type countedBody struct {
	io.ReadCloser
	bytes *atomic.Uint64
}

func (b *countedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.bytes.Add(uint64(n))
	return n, err
}

// check ends the program when a row would not be what its name says.
func (w *wire) check(watchList bool, contentType string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if watchList != (w.watchLists > 0) {
		must(fmt.Errorf("%d WatchLists were answered", w.watchLists))
	}
	for each := range w.contentTypes {
		if !strings.HasSuffix(each, contentType) {
			must(fmt.Errorf("an answer came as %s", each))
		}
	}
}

// informerOf is an informer of all objects of a resource of the core group, and what starts it. Of metadata and dynamic
// objects the content type is given: those clients know one.
func informerOf(config *rest.Config, resource, objects, contentType string) (cache.SharedIndexInformer, func(<-chan struct{})) {
	core := schema.GroupVersionResource{Version: "v1", Resource: resource}
	switch objects {
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		must(err)
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		return factory.ForResource(core).Informer(), factory.Start
	case "metadata":
		client, err := metadata.NewForConfig(config)
		must(err)
		factory := metadatainformer.NewSharedInformerFactory(client, 0)
		return factory.ForResource(core).Informer(), factory.Start
	}
	useContentType(config, contentType)
	client, err := kubernetes.NewForConfig(config)
	must(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	typed, err := factory.ForResource(core)
	must(err)
	return typed.Informer(), factory.Start
}

// memory reads a line of /proc/self/status, in bytes.
func memory(name string) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, name+":") {
			kilobytes, err := strconv.ParseUint(strings.Fields(line)[1], 10, 64)
			must(err)
			return kilobytes * 1024
		}
	}
	return 0
}

// figures are those of kubexx bench sync -o json that both know.
type figures struct {
	Objects         int     `json:"objects"`
	WallSeconds     float64 `json:"wallSeconds"`
	CPUUser         float64 `json:"cpuUser"`
	CPUSystem       float64 `json:"cpuSystem"`
	RSSBytes        uint64  `json:"rssBytes"`
	PeakRSSBytes    uint64  `json:"peakRssBytes"`
	PageFaults      int64   `json:"pageFaults"`
	ContextSwitches int64   `json:"contextSwitches"`
	BytesReceived   uint64  `json:"bytesReceived"`
}

// syncAll does what kubexx bench sync RESOURCE -A does.
func syncAll(config *rest.Config, resource string, watchList bool, objects, contentType string) figures {
	received := &wire{contentTypes: map[string]bool{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		received.next = next
		return received
	})
	start, before := time.Now(), resources()
	user, system := cpuSeconds()
	informer, run := informerOf(config, resource, objects, contentType)
	ctx := context.Background()
	run(ctx.Done())
	cache.WaitFor(ctx, "", informer.HasSyncedChecker())
	seconds, after := time.Since(start).Seconds(), resources()
	userNow, systemNow := cpuSeconds()
	received.check(watchList, contentType)
	return figures{
		Objects:         len(informer.GetStore().ListKeys()),
		WallSeconds:     seconds,
		CPUUser:         userNow - user,
		CPUSystem:       systemNow - system,
		RSSBytes:        memory("VmRSS"),
		PeakRSSBytes:    memory("VmHWM"),
		PageFaults:      after.Minflt + after.Majflt - before.Minflt - before.Majflt,
		ContextSwitches: after.Nvcsw + after.Nivcsw - before.Nvcsw - before.Nivcsw,
		BytesReceived:   received.bytes.Load(),
	}
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
	useContentType(config, "protobuf")
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
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, now interface{}) { seen.set(now.(*v1.ConfigMap).ResourceVersion) },
	})
	must(err)
	factory.StartWithContext(ctx)
	cache.WaitFor(ctx, "", informer.HasSyncedChecker())
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

// trickle does what benchmarks/trickle read does.
func trickle(config *rest.Config, changes int) {
	useContentType(config, "protobuf")
	client, err := kubernetes.NewForConfig(config)
	must(err)
	ctx := context.Background()
	var seen atomic.Int64
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, now interface{}) {
			object := now.(*v1.ConfigMap)
			fmt.Println(object.Name, object.ResourceVersion)
			seen.Add(1)
		},
	})
	must(err)
	factory.StartWithContext(ctx)
	cache.WaitFor(ctx, "", informer.HasSyncedChecker())
	fmt.Fprintln(os.Stderr, "ready")
	before := resources()
	user, system := cpuSeconds()
	for seen.Load() < int64(changes) {
		time.Sleep(100 * time.Millisecond)
	}
	userNow, systemNow := cpuSeconds()
	after := resources()
	must(json.NewEncoder(os.Stderr).Encode(map[string]float64{
		"userMicroseconds":    (userNow - user) * 1e6 / float64(changes),
		"systemMicroseconds":  (systemNow - system) * 1e6 / float64(changes),
		"voluntarySwitches":   float64(after.Nvcsw-before.Nvcsw) / float64(changes),
		"involuntarySwitches": float64(after.Nivcsw-before.Nivcsw) / float64(changes),
	}))
}

// withServer runs what `--server KUBECONFIG sync [FLAGS] [RESOURCE]` or `--server KUBECONFIG latency|trickle UPDATES` asks for.
func withServer(kubeconfig string, arguments []string) {
	flags := flag.NewFlagSet("sync", flag.ExitOnError)
	mode := flags.String("mode", "watchlist", "list or watchlist")
	contentType := flags.String("content-type", "protobuf", "json or protobuf")
	objects := flags.String("objects", "typed", "typed, dynamic or metadata")
	must(flags.Parse(arguments[1:]))
	watchList := *mode == "watchlist"
	useWatchList(watchList)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(err)
	if arguments[0] == "sync" {
		resource := "pods"
		if flags.NArg() > 0 {
			resource = flags.Arg(0)
		}
		must(json.NewEncoder(os.Stdout).Encode(syncAll(config, resource, watchList, *objects, *contentType)))
		return
	}
	updates, err := strconv.Atoi(flags.Arg(0))
	must(err)
	if arguments[0] == "trickle" {
		trickle(config, updates)
		return
	}
	latency(config, updates)
}
