// The same as `differential watch`, on client-go: an informer of ConfigMaps of one namespace, what its handler hears, a line each.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var lock sync.Mutex

func say(format string, arguments ...interface{}) {
	lock.Lock()
	defer lock.Unlock()
	fmt.Printf(format+"\n", arguments...)
}

func heard(what string, object *v1.ConfigMap, version string) {
	say("%s %s %s %d", what, object.Name, version, time.Now().UnixNano())
}

// lists counts the requests for a whole state: lists, and watches that begin with one.
type lists struct {
	next  http.RoundTripper
	count *atomic.Int64
}

func (l lists) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if query.Get("watch") == "" || query.Get("sendInitialEvents") == "true" {
		l.count.Add(1)
	}
	return l.next.RoundTrip(request)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: KUBECONFIG NAMESPACE")
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	var count atomic.Int64
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return lists{next, &count} })
	client, err := kubernetes.NewForConfig(config)
	must(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(os.Args[2]))
	maps := factory.Core().V1().ConfigMaps().Informer()
	_, err = maps.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object interface{}) {
			added := object.(*v1.ConfigMap)
			heard("add", added, added.ResourceVersion)
		},
		UpdateFunc: func(_, object interface{}) {
			updated := object.(*v1.ConfigMap)
			heard("update", updated, updated.ResourceVersion)
		},
		DeleteFunc: func(object interface{}) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			deleted := object.(*v1.ConfigMap)
			heard("delete", deleted, deleted.ResourceVersion)
		},
	})
	must(err)
	stop := make(chan struct{})
	factory.Start(stop)
	_, _ = io.Copy(io.Discard, bufio.NewReader(os.Stdin))
	say("lists %d", count.Load())
	close(stop)
}
