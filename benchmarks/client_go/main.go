// The rows of our benchmarks that need no server, with client-go: the same objects, the same work, as many runs, of
// which the middle one counts. Prints one line for each row whose name contains the argument, with tabs between: its
// name, operations a second, CPU nanoseconds each (or two dashes), and for some rows another counter. The names are
// those of ours. With --server as the first argument it is the client of benchmarks/sync (sync.go); with --version it
// says what it was made of.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"time"
)

const (
	deltaAddThenPop      = "DeltaFIFO add then pop, distinct keys"
	deltaConcurrently    = "DeltaFIFO add and pop concurrently, distinct"
	deltaUpdatesThenPop  = "DeltaFIFO 1e6 updates of 10,000 keys, then pop"
	deltaUpdatesTogether = "DeltaFIFO the same, concurrently"

	orderedAddThenPop      = "in-order queue, add then pop, distinct"
	orderedInBatches       = "in-order queue, add then pop in batches, distinct"
	orderedUpdatesTogether = "in-order queue, updates of 10,000 keys, batches, concurrently"

	storeAdd            = "store add (namespace + 1 label index)"
	storeUpdate         = "store update, same index values"
	storeGet            = "store get, random, 1 reader"
	storeGetMany        = "store get, random, 1 reader, 256 keys at once"
	storeGetTwo         = "store get, random, 2 readers"
	storeGetTwoAndWrite = "store get with 2 readers and 1 writer"
	storeByApp          = "by_index, 10 results"
	storeByNamespace    = "by_index, 1,000 results"
	storeList           = "list of 1,000,000"
	storeReplace        = "replace of 1,000,000"
	storeOverhead       = "store overhead, 2 indexes"

	pipelineUpdates1   = "pipeline, updates of 10,000 keys, 1 handler"
	pipelineUpdates10  = "pipeline, updates of 10,000 keys, 10 handlers"
	pipelineUpdatesAll = "pipeline, updates of 1,000,000 keys, 1 handler"
	pipelineAdds1      = "pipeline, adds, 1 handler"
	pipelineAdds10     = "pipeline, adds, 10 handlers"

	queueAddAll      = "work queue add all, then get + done"
	queueSerial      = "work queue add/get/forget/done, serial"
	queueConsumers   = "work queue 1 producer, 2 consumers"
	queueWaitingKey  = "work queue add of a key already waiting"
	queueRateLimited = "rate limited add (1 ms) to done"
)

// row is a line of the table. What prepare returns is called once for each run.
type row struct {
	name    string
	runs    int
	prepare func() func() result
}

var rows = []row{
	{deltaAddThenPop, 3, func() func() result { return oneAfterTheOther(newDeltaFIFO, pop, pods) }},
	{deltaConcurrently, 3, func() func() result { return concurrently(newDeltaFIFO, pop, pods) }},
	{deltaUpdatesThenPop, 3, func() func() result { return oneAfterTheOther(newDeltaFIFO, pop, 10000) }},
	{deltaUpdatesTogether, 3, func() func() result { return concurrently(newDeltaFIFO, pop, 10000) }},

	{orderedAddThenPop, 3, func() func() result { return oneAfterTheOther(newRealFIFO, pop, pods) }},
	{orderedInBatches, 3, func() func() result { return oneAfterTheOther(newRealFIFO, popBatch, pods) }},
	{orderedUpdatesTogether, 3, func() func() result { return concurrently(newRealFIFO, popBatch, 10000) }},

	{storeAdd, 3, add},
	{storeUpdate, 3, update},
	{storeGet, 3, getAlone},
	{storeGetMany, 3, getAlone}, // one by one: it has no other way
	{storeGetTwo, 3, getByTwo},
	{storeGetTwoAndWrite, 3, getByTwoBesideAWriter},
	{storeByApp, 3, byApp},
	{storeByNamespace, 3, byNamespace},
	{storeList, 3, list},
	{storeReplace, 3, replace},
	{storeOverhead, 3, overhead},

	{pipelineUpdates1, 3, func() func() result { return pipeline(10000, 1) }},
	{pipelineUpdates10, 3, func() func() result { return pipeline(10000, 10) }},
	{pipelineUpdatesAll, 3, func() func() result { return pipeline(pods, 1) }},
	{pipelineAdds1, 3, func() func() result { return pipeline(0, 1) }},
	{pipelineAdds10, 3, func() func() result { return pipeline(0, 10) }},

	{queueAddAll, 5, addAllThenGetAndDone},
	{queueSerial, 5, serialAddGetForgetDone},
	{queueConsumers, 5, oneProducerTwoConsumers},
	{queueWaitingKey, 5, addOfAWaitingKey},
	{queueRateLimited, 5, rateLimitedAddToDone},
}

// result is what one run measured. Counters that a row does not have are zero.
type result struct {
	perSecond       float64
	cpuNs           float64
	writesPerSecond float64
	bytesEach       float64
}

// cpuSeconds are those of the process so far, in its own code and in the kernel.
func cpuSeconds() (user, system float64) {
	usage := resources()
	return time.Duration(usage.Utime.Nano()).Seconds(), time.Duration(usage.Stime.Nano()).Seconds()
}

func resources() syscall.Rusage {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage
}

// measure times work, which starts on a heap without garbage. What is collected meanwhile counts.
func measure(operations int, work func()) result {
	runtime.GC()
	start := time.Now()
	user, system := cpuSeconds()
	work()
	userNow, systemNow := cpuSeconds()
	used, seconds := userNow-user+systemNow-system, time.Since(start).Seconds()
	return result{perSecond: float64(operations) / seconds, cpuNs: used / float64(operations) * 1e9}
}

func median(results []result, counter func(result) float64) float64 {
	values := make([]float64, 0, len(results))
	for _, each := range results {
		values = append(values, counter(each))
	}
	sort.Float64s(values)
	return values[len(values)/2]
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "client-go-yardstick:", err)
		os.Exit(1)
	}
}

// clientGo is the version of client-go; the linker sets it.
var clientGo = "of unknown version"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Printf("client-go %s on Go %s\n", clientGo, strings.TrimPrefix(runtime.Version(), "go"))
		return
	}
	if len(os.Args) > 3 && os.Args[1] == "--server" {
		withServer(os.Args[2], os.Args[3:])
		return
	}
	useWatchList(false) // the rows of the pipeline list
	filter := ""
	if len(os.Args) > 1 {
		filter = os.Args[1]
	}
	for _, row := range rows {
		if !strings.Contains(row.name, filter) {
			continue
		}
		var results []result
		run := row.prepare()
		for i := 0; i < row.runs; i++ {
			results = append(results, run())
		}
		fmt.Print(row.name)
		if perSecond := median(results, func(r result) float64 { return r.perSecond }); perSecond != 0 {
			fmt.Printf("\t%.0f\t%.0f", perSecond, median(results, func(r result) float64 { return r.cpuNs }))
		} else {
			fmt.Print("\t-\t-")
		}
		if writes := median(results, func(r result) float64 { return r.writesPerSecond }); writes != 0 {
			fmt.Printf("\twrites_per_second=%.0f", writes)
		}
		if bytes := median(results, func(r result) float64 { return r.bytesEach }); bytes != 0 {
			fmt.Printf("\tbytes_each=%.0f", bytes)
		}
		fmt.Println()
	}
}
