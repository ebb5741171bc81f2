// A shared library around an informer of client-go, as a program in C++ without kubexx would link it: functions of C in front,
// Go's runtime inside, objects that cross as text.
package main

// #include <stdlib.h>
import "C"

import (
	"context"
	"encoding/json"
	"sync"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	mutex sync.Mutex
	pods  cache.SharedIndexInformer
)

// pods_start lists and watches all pods, and returns when the cache is filled: 0, or -1 where that failed.
//
//export pods_start
func pods_start(kubeconfig *C.char) C.int {
	config, err := clientcmd.BuildConfigFromFlags("", C.GoString(kubeconfig))
	if err != nil {
		return -1
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return -1
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	ctx := context.Background()
	factory.StartWithContext(ctx)
	if !cache.WaitFor(ctx, "", informer.HasSyncedChecker()) {
		return -1
	}
	mutex.Lock()
	defer mutex.Unlock()
	pods = informer
	return 0
}

// pods_count is the number of pods in the cache.
//
//export pods_count
func pods_count() C.long {
	mutex.Lock()
	defer mutex.Unlock()
	return C.long(len(pods.GetStore().ListKeys()))
}

// pods_get is the pod of a key as JSON, or null; to be freed by pods_free.
//
//export pods_get
func pods_get(key *C.char) *C.char {
	mutex.Lock()
	defer mutex.Unlock()
	found, there, err := pods.GetStore().GetByKey(C.GoString(key))
	if err != nil || !there {
		return nil
	}
	text, err := json.Marshal(found.(*v1.Pod))
	if err != nil {
		return nil
	}
	return C.CString(string(text))
}

//export pods_free
func pods_free(text *C.char) {
	C.free(unsafe.Pointer(text))
}

func main() {}
