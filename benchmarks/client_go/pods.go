package main

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
