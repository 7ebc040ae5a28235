// Package server runs the Temporal services of one machine in this process.
package server

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"

	"agent-runtime/native/engine/internal/database"
	"agent-runtime/native/engine/internal/identity"
)

// Settings is what Start needs to know.
type Settings struct {
	IP       string
	Port     int
	Database *config.SQL
	// What clients must show; nil accepts every client.
	Identity         *identity.Identity
	Namespaces       []string
	SearchAttributes map[string]enumspb.IndexedValueType
	// Executions for which this search attribute is true are in no list and no count.
	Unlisted      string
	DynamicConfig map[string]any
	LogLevel      string
	LogFormat     string
}

const (
	storeName = "sqlite"
	loopback  = "127.0.0.1"
)

// serverConfig is the configuration file of Temporal's server. No metrics, no profiling, no web page, no membership:
// services that know each other, and one port.
func serverConfig(s Settings) *config.Config {
	frontend := Address(s.IP, s.Port)
	cfg := &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback},
		},
		Persistence: config.Persistence{
			DefaultStore:     storeName,
			VisibilityStore:  storeName,
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{storeName: {SQL: s.Database}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        database.ClusterName,
			CurrentClusterName:       database.ClusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				database.ClusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: frontend},
		Services:            map[string]config.Service{},
	}
	cfg.Archival.History.State = "disabled"
	cfg.Archival.Visibility.State = "disabled"
	cfg.NamespaceDefaults.Archival.History.State = "disabled"
	cfg.NamespaceDefaults.Archival.Visibility.State = "disabled"
	for _, name := range services {
		cfg.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: s.Port, BindOnIP: s.IP}}
	}
	return cfg
}

// Names in the form of addresses for services that listen nowhere. The worker service must have one, although there is none.
var nowhere = map[primitives.ServiceName]int{primitives.WorkerService: 1, primitives.HistoryService: 2, primitives.MatchingService: 3}

func staticHosts(s Settings) map[primitives.ServiceName]static.Hosts {
	hosts := map[primitives.ServiceName]static.Hosts{
		primitives.FrontendService: static.SingleLocalHost(Address(s.IP, s.Port)),
	}
	for name, number := range nowhere {
		hosts[name] = static.SingleLocalHost(Address(loopback, number))
	}
	return hosts
}
