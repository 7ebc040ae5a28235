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
	// While busy the heap may grow to five times what is live before it is collected: processor time is what limits then.
	busyGCPercent = 400
	idleGCPercent = 100
	// As far as it grows for that. A limit that the live part alone would fill keeps the collector busy all the time.
	busyBytes = 256 << 20
)

// Both are the runtime's: allocated since the start, and live at the last collection.
const (
	allocatedBytes = "/gc/heap/allocs:bytes"
	liveBytes      = "/gc/heap/live:bytes"
)

// balanceMemory collects less often while the engine is busy, and returns what a busy time left to the operating system once it
// is over; by itself Go keeps it for minutes.
func balanceMemory() {
	sample := []metrics.Sample{{Name: allocatedBytes}, {Name: liveBytes}}
	var before uint64
	isTidy := false
	setBusy(0)
	for range time.Tick(memoryPause) {
		metrics.Read(sample)
		allocated, live := sample[0].Value.Uint64(), sample[1].Value.Uint64()
		isIdle := allocated-before < idleBytes
		before = allocated
		if !isIdle {
			setBusy(live)
		} else if !isTidy {
			debug.SetGCPercent(idleGCPercent)
			debug.FreeOSMemory()
		}
		isTidy = isIdle
	}
}

func setBusy(live uint64) {
	debug.SetGCPercent(busyGCPercent)
	debug.SetMemoryLimit(busyLimit(live))
}

// busyLimit is twice what is live where that is more, as without a limit.
func busyLimit(live uint64) int64 {
	return int64(max(busyBytes, 2*live))
}
