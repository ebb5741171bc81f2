package main

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// The work queue, as in workqueue_benchmark.cpp.

const queuedKeys = 1000000

func queueKeys() []string {
	made := make([]string, 0, queuedKeys)
	for i := 0; i < queuedKeys; i++ {
		made = append(made, "namespace-"+strconv.Itoa(i%100)+"/pod-"+strconv.Itoa(i))
	}
	return made
}

type workQueue = workqueue.TypedRateLimitingInterface[string]

func newWorkQueue() workQueue {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 1000*time.Second)
	return workqueue.NewTypedRateLimitingQueue(limiter)
}

// work takes keys until the last of all of them is done.
func work(queue workQueue, left *int64) {
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
		queue := newWorkQueue()
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
		queue := newWorkQueue()
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
func throughConsumers(consumers int, put func(queue workQueue, key string)) func() result {
	all := queueKeys()
	return func() result {
		queue := newWorkQueue()
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
	return throughConsumers(2, func(queue workQueue, key string) { queue.Add(key) })
}

func rateLimitedAddToDone() func() result {
	return throughConsumers(1, func(queue workQueue, key string) { queue.AddRateLimited(key) })
}

func addOfAWaitingKey() func() result {
	const adds = 10000000
	waiting := queueKeys()[123456]
	return func() result {
		queue := newWorkQueue()
		defer queue.ShutDown()
		queue.Add(waiting)
		return measure(adds, func() {
			for i := 0; i < adds; i++ {
				queue.Add(waiting)
			}
		})
	}
}
