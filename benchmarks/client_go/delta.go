package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// The queues, as in delta_benchmark.cpp.

func newDeltaFIFO() cache.Queue { return cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{}) }

// newRealFIFO is the queue as informers make it.
func newRealFIFO() cache.Queue {
	return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{
		KeyFunction: cache.MetaNamespaceKeyFunc, AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true})
}

// A popper takes once from a queue and says how many changes that were.
type popper func(cache.Queue) int

func pop(queue cache.Queue) (seen int) {
	_, err := queue.Pop(func(obj interface{}, _ bool) error {
		seen = len(obj.(cache.Deltas))
		return nil
	})
	must(err)
	return seen
}

func popBatch(queue cache.Queue) (seen int) {
	must(queue.(cache.QueueWithBatch).PopBatch(func(deltas []cache.Delta, _ bool) error {
		seen = len(deltas)
		return nil
	}, func(obj interface{}, _ bool) error {
		seen = len(obj.(cache.Deltas))
		return nil
	}))
	return seen
}

func produce(queue cache.Queue, objects []*v1.Pod) {
	for _, object := range objects {
		must(queue.Add(object))
	}
}

// consume takes until all of the objects came by.
func consume(queue cache.Queue, take popper) {
	for seen := 0; seen < pods; {
		seen += take(queue)
	}
}

func oneAfterTheOther(newQueue func() cache.Queue, take popper, distinct int) func() result {
	objects := makePods(pods, 1, distinct)
	return func() result {
		queue := newQueue()
		return measure(pods, func() {
			produce(queue, objects)
			consume(queue, take)
		})
	}
}

func concurrently(newQueue func() cache.Queue, take popper, distinct int) func() result {
	objects := makePods(pods, 1, distinct)
	return func() result {
		queue := newQueue()
		return measure(pods, func() {
			go produce(queue, objects)
			consume(queue, take)
		})
	}
}
