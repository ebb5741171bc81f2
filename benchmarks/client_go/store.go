package main

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

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
