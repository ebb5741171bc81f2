package main

import (
	"math/rand"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Small pods, as in small_pods.hpp.

const (
	pods       = 1000000
	namespaces = 1000 // so 1,000 pods have one
	podsPerApp = 10
)

func namespaceOf(i int) string { return "namespace-" + strconv.Itoa(i%namespaces) }
func nameOf(i int) string      { return "pod-" + strconv.Itoa(i) }
func keyOf(i int) string       { return namespaceOf(i) + "/" + nameOf(i) }
func appOf(i int) string       { return "app-" + strconv.Itoa(i/podsPerApp) }

func makePod(i int, version int) v1.Pod {
	return v1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name:            nameOf(i),
			Namespace:       namespaceOf(i),
			Labels:          map[string]string{"app": appOf(i), "tier": "backend"},
			ResourceVersion: strconv.Itoa(version),
		},
	}
}

func makePods(count, version, distinct int) []*v1.Pod {
	made := make([]*v1.Pod, 0, count)
	for n := 0; n < count; n++ {
		pod := makePod(n%distinct, version*pods+n)
		made = append(made, &pod)
	}
	return made
}

// The queue, as in delta_benchmark.cpp.

func produce(queue *cache.DeltaFIFO, objects []*v1.Pod) {
	for _, object := range objects {
		must(queue.Add(object))
	}
}

// consume takes until all of the objects came by.
func consume(queue *cache.DeltaFIFO) {
	for seen := 0; seen < pods; {
		_, err := queue.Pop(func(obj interface{}) error {
			seen += len(obj.(cache.Deltas))
			return nil
		})
		must(err)
	}
}

func oneAfterTheOther(objects []*v1.Pod) func() result {
	return func() result {
		queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
		return measure(pods, func() {
			produce(queue, objects)
			consume(queue)
		})
	}
}

func concurrently(objects []*v1.Pod) func() result {
	return func() result {
		queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
		return measure(pods, func() {
			go produce(queue, objects)
			consume(queue)
		})
	}
}

// The store, as in store_benchmark.cpp.

func emptyStore() cache.Indexer {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"app":                func(obj interface{}) ([]string, error) { return []string{obj.(*v1.Pod).Labels["app"]}, nil },
	})
}

func fill(indexer cache.Indexer, objects []*v1.Pod) {
	for _, pod := range objects {
		must(indexer.Add(pod))
	}
}

func storeOf(objects []*v1.Pod) cache.Indexer {
	indexer := emptyStore()
	fill(indexer, objects)
	return indexer
}

func add() func() result {
	objects := makePods(pods, 1, pods)
	return func() result {
		indexer := emptyStore()
		return measure(pods, func() { fill(indexer, objects) })
	}
}

func update() func() result {
	objects, newer := makePods(pods, 1, pods), makePods(pods, 2, pods)
	return func() result {
		indexer := storeOf(objects)
		return measure(pods, func() {
			for _, pod := range newer {
				must(indexer.Update(pod))
			}
		})
	}
}

func randomOnes(count int, of func(int) string) []string {
	random := rand.New(rand.NewSource(7))
	made := make([]string, 0, count)
	for i := 0; i < count; i++ {
		made = append(made, of(random.Intn(pods)))
	}
	return made
}

func readKeys(indexer cache.Indexer, keys []string, from int) {
	for i := 0; i < pods; i++ {
		_, _, err := indexer.GetByKey(keys[(from+i)%pods])
		must(err)
	}
}

func readByTwo(indexer cache.Indexer, keys []string) {
	var other sync.WaitGroup
	other.Add(1)
	go func() {
		defer other.Done()
		readKeys(indexer, keys, pods/2)
	}()
	readKeys(indexer, keys, 0)
	other.Wait()
}

func getAlone() func() result {
	indexer, keys := storeOf(makePods(pods, 1, pods)), randomOnes(pods, keyOf)
	return func() result { return measure(pods, func() { readKeys(indexer, keys, 0) }) }
}

func getByTwo() func() result {
	indexer, keys := storeOf(makePods(pods, 1, pods)), randomOnes(pods, keyOf)
	return func() result { return measure(2*pods, func() { readByTwo(indexer, keys) }) }
}

// Reads count; the writes made meanwhile are reported beside them.
func getByTwoBesideAWriter() func() result {
	objects, newer, keys := makePods(pods, 1, pods), makePods(pods, 2, pods), randomOnes(pods, keyOf)
	return func() result {
		indexer := storeOf(objects)
		var done int32
		var seconds float64
		writes := 0
		measured := measure(2*pods, func() {
			start := time.Now()
			var writer sync.WaitGroup
			writer.Add(1)
			go func() {
				defer writer.Done()
				for ; atomic.LoadInt32(&done) == 0; writes++ {
					must(indexer.Update(newer[writes%pods]))
				}
			}()
			readByTwo(indexer, keys)
			atomic.StoreInt32(&done, 1)
			seconds = time.Since(start).Seconds()
			writer.Wait()
		})
		measured.writesPerSecond = float64(writes) / seconds
		return measured
	}
}

func byIndex(index string, values []string) func() result {
	indexer := storeOf(makePods(pods, 1, pods))
	return func() result {
		return measure(len(values), func() {
			for _, value := range values {
				_, err := indexer.ByIndex(index, value)
				must(err)
			}
		})
	}
}

func byApp() func() result       { return byIndex("app", randomOnes(200000, appOf)) }
func byNamespace() func() result { return byIndex(cache.NamespaceIndex, randomOnes(5000, namespaceOf)) }

func list() func() result {
	indexer := storeOf(makePods(pods, 1, pods))
	return func() result { return measure(1, func() { indexer.List() }) }
}

func replace() func() result {
	objects, next := makePods(pods, 1, pods), make([]interface{}, 0, pods)
	for _, pod := range makePods(pods, 2, pods) {
		next = append(next, pod)
	}
	return func() result {
		indexer := storeOf(objects)
		return measure(pods, func() { must(indexer.Replace(next, "9")) })
	}
}

// What a full store has on the heap beside the objects.
func overhead() func() result {
	objects := makePods(pods, 1, pods)
	return func() result {
		before := heapBytes()
		indexer := storeOf(objects)
		bytes := heapBytes() - before
		runtime.KeepAlive(indexer)
		return result{bytesEach: float64(bytes) / pods}
	}
}

func heapBytes() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// The pipeline, as in informer_benchmark.cpp.

// feed is a watch whose events come when the benchmark sends them.
type feed chan watch.Event

func (f feed) Stop()                          {}
func (f feed) ResultChan() <-chan watch.Event { return f }

// counting says when the initial list came by, and when the last event after it.
type counting struct {
	listed, left int
	synced, done *sync.WaitGroup
}

func (c *counting) OnAdd(interface{}) {
	if c.listed == 0 {
		c.count()
	} else if c.listed--; c.listed == 0 {
		c.synced.Done()
	}
}
func (c *counting) OnUpdate(interface{}, interface{}) { c.count() }
func (c *counting) OnDelete(interface{})              { c.count() }

func (c *counting) count() {
	if c.left--; c.left == 0 {
		c.done.Done()
	}
}

// pipeline measures updates of so many listed keys, or adds when there are none.
func pipeline(keys, handlers int) func() result {
	kind, distinct := watch.Modified, keys
	if keys == 0 {
		kind, distinct = watch.Added, pods
	}
	events := makePods(pods, 1, distinct)
	listed := &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for i := 0; i < keys; i++ {
		listed.Items = append(listed.Items, makePod(i, i))
	}

	return func() result {
		stream := make(feed, 256) // as many as arrive together in ours
		open := make(chan struct{})
		informer := cache.NewSharedIndexInformer(&cache.ListWatch{
			ListFunc: func(metav1.ListOptions) (apiruntime.Object, error) { return listed, nil },
			WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
				close(open)
				return stream, nil
			},
		}, &v1.Pod{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		var synced, done, ended sync.WaitGroup
		done.Add(handlers)
		if keys != 0 {
			synced.Add(handlers)
		}
		for i := 0; i < handlers; i++ {
			informer.AddEventHandler(&counting{listed: keys, left: pods, synced: &synced, done: &done})
		}
		stop := make(chan struct{})
		ended.Add(1)
		go func() {
			defer ended.Done()
			informer.Run(stop)
		}()
		<-open
		synced.Wait()

		measured := measure(pods, func() {
			for _, pod := range events {
				stream <- watch.Event{Type: kind, Object: pod}
			}
			done.Wait()
		})
		close(stop)
		ended.Wait()
		return measured
	}
}

// The work queue, as in workqueue_benchmark.cpp.

const queuedKeys = 1000000

func queueKeys() []string {
	made := make([]string, 0, queuedKeys)
	for i := 0; i < queuedKeys; i++ {
		made = append(made, "namespace-"+strconv.Itoa(i%100)+"/pod-"+strconv.Itoa(i))
	}
	return made
}

func newQueue() workqueue.RateLimitingInterface {
	limiter := workqueue.NewItemExponentialFailureRateLimiter(time.Millisecond, 1000*time.Second)
	return workqueue.NewRateLimitingQueue(limiter)
}

// work takes keys until the last of all of them is done.
func work(queue workqueue.RateLimitingInterface, left *int64) {
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return
		}
		queue.Forget(key)
		queue.Done(key)
		if atomic.AddInt64(left, -1) == 0 {
			queue.ShutDown()
		}
	}
}

func addAllThenGetAndDone() func() result {
	all := queueKeys()
	return func() result {
		queue := newQueue()
		defer queue.ShutDown()
		return measure(queuedKeys, func() {
			for _, key := range all {
				queue.Add(key)
			}
			for range all {
				key, _ := queue.Get()
				queue.Done(key)
			}
		})
	}
}

func serialAddGetForgetDone() func() result {
	all := queueKeys()
	return func() result {
		queue := newQueue()
		defer queue.ShutDown()
		return measure(queuedKeys, func() {
			for _, added := range all {
				queue.Add(added)
				key, _ := queue.Get()
				queue.Forget(key)
				queue.Done(key)
			}
		})
	}
}

// throughConsumers measures until so many consumers have done all keys that put brings into the queue.
func throughConsumers(consumers int, put func(queue workqueue.RateLimitingInterface, key string)) func() result {
	all := queueKeys()
	return func() result {
		queue := newQueue()
		left := int64(queuedKeys)
		return measure(queuedKeys, func() {
			var ended sync.WaitGroup
			ended.Add(consumers)
			for i := 0; i < consumers; i++ {
				go func() {
					defer ended.Done()
					work(queue, &left)
				}()
			}
			for _, key := range all {
				put(queue, key)
			}
			ended.Wait()
		})
	}
}

func oneProducerTwoConsumers() func() result {
	return throughConsumers(2, func(queue workqueue.RateLimitingInterface, key string) { queue.Add(key) })
}

func rateLimitedAddToDone() func() result {
	return throughConsumers(1, func(queue workqueue.RateLimitingInterface, key string) { queue.AddRateLimited(key) })
}

func addOfAWaitingKey() func() result {
	const adds = 10000000
	waiting := queueKeys()[123456]
	return func() result {
		queue := newQueue()
		defer queue.ShutDown()
		queue.Add(waiting)
		return measure(adds, func() {
			for i := 0; i < adds; i++ {
				queue.Add(waiting)
			}
		})
	}
}
