package server

import (
	"maps"

	"go.temporal.io/server/common/dynamicconfig"
)

// The defaults and their reasons are in the architecture page, section 4. The server takes booleans only as booleans.
var dynamicDefaults = map[string]any{
	"system.enableActivityEagerExecution": true,
	// Default on: the server asks its makers for news at the start and every day.
	"frontend.enableServerVersionCheck": false,
	// One machine has one matching service: partitions would only add hops.
	"matching.numTaskqueueReadPartitions":  1,
	"matching.numTaskqueueWritePartitions": 1,
	// Default 1: two concurrent reads of a busy thread would fail.
	"history.MaxBufferedQueryCount": 128,
	"history.maxInFlightUpdates":    50,
	// Default 2,000, after which a thread takes no Update at all.
	"history.maxTotalUpdates": 0,
	// Default 10 a second, which the SDK hides as latency.
	"frontend.namespaceRPS.visibility": 1000,
	// Otherwise deleting a closed thread takes a minute.
	"history.transferProcessorEnsureCloseBeforeDelete": false,
	// Default 20 a second for a shard, of which there is one here: every second step of a run waited 30 ms for its turn.
	"history.transferProcessorMaxPollRPS": 2000,
	"history.timerProcessorMaxPollRPS":    2000,
	// Defaults: 128,000 workflows for an hour and 256 MB of events. What falls out is read again in about a millisecond.
	"history.hostLevelCacheMaxSize":            1000,
	"history.eventsHostLevelCacheMaxSizeBytes": 16_777_216,
	// The defaults below protect a cluster from its tenants. Here there is one tenant, and at 100 runs a second it meets them.
	"frontend.rps":               20_000,
	"frontend.namespaceRPS":      20_000,
	"history.rps":                20_000,
	"matching.rps":               20_000,
	"frontend.persistenceMaxQPS": 10_000,
	"history.persistenceMaxQPS":  45_000,
	"matching.persistenceMaxQPS": 20_000,
}

func dynamicConfig(overrides map[string]any) dynamicconfig.StaticClient {
	merged := maps.Clone(dynamicDefaults)
	maps.Copy(merged, overrides)
	client := dynamicconfig.StaticClient{}
	for key, value := range merged {
		client[dynamicconfig.MakeKey(key)] = value
	}
	return client
}
