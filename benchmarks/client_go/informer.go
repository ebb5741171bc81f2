package main

import (
	"context"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

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

func (c *counting) OnAdd(interface{}, bool) {
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
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) { return listed, nil },
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
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
			_, err := informer.AddEventHandler(&counting{listed: keys, left: pods, synced: &synced, done: &done})
			must(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended.Add(1)
		go func() {
			defer ended.Done()
			informer.RunWithContext(ctx)
		}()
		<-open
		synced.Wait()

		measured := measure(pods, func() {
			for _, pod := range events {
				stream <- watch.Event{Type: kind, Object: pod}
			}
			done.Wait()
		})
		stop()
		ended.Wait()
		return measured
	}
}
