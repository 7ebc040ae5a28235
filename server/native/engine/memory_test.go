package main

import "testing"

func TestALargeLiveHeapIsNoReasonToCollectAllTheTime(t *testing.T) {
	for live, want := range map[uint64]int64{0: busyBytes, 50 << 20: busyBytes, busyBytes: 2 * busyBytes} {
		if got := busyLimit(live); got != want {
			t.Errorf("%d live: %d, not %d", live, got, want)
		}
	}
}
