package main

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	memoryPause = 10 * time.Second
	// Allocated within one pause: less is idle, more is work worth tidying after.
	idleBytes = 16 << 20
)

// giveMemoryBack returns what a busy time left to the operating system once it is over; by itself Go keeps it for minutes.
func giveMemoryBack() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var before uint64
	isTidy := false
	for range time.Tick(memoryPause) {
		metrics.Read(sample)
		allocated := sample[0].Value.Uint64()
		isIdle := allocated-before < idleBytes
		before = allocated
		if isIdle && !isTidy {
			debug.FreeOSMemory()
		}
		isTidy = isIdle
	}
}
