// Command older-server makes a database file the way an earlier server version made it: its own schema, its own
// namespace with search attributes, and workflows started, signalled and ended through its own front end.
// It is a separate module because it needs that other version. Its output is kept as testdata/server-<version>.db.gz:
//
//	go run . /tmp/older.db && gzip -9 -n < /tmp/older.db > ../server-1.29.1.db.gz
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	_ "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
)

func main() {
	database := &config.SQL{PluginName: "sqlite", DatabaseName: os.Args[1], ConnectAttributes: map[string]string{"mode": "rwc"}}
	must(sqlite.SetupSchema(database))
	namespace, err := sqlite.NewNamespaceConfig("active", "default", false, map[string]enumspb.IndexedValueType{
		"ThreadStatus": enumspb.INDEXED_VALUE_TYPE_KEYWORD,
		"ThreadMeta":   enumspb.INDEXED_VALUE_TYPE_KEYWORD_LIST,
	})
	must(err)
	must(sqlite.CreateNamespaces(database, namespace))
	server, address := start(database)
	fill(address)
	must(server.Stop())
}

func start(database *config.SQL) (temporal.Server, string) {
	services := map[string]config.Service{}
	hosts := map[primitives.ServiceName]static.Hosts{}
	var frontend string
	for _, name := range temporal.DefaultServices {
		port := freePort()
		services[name] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: "127.0.0.1"}}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(address)
		if name == string(primitives.FrontendService) {
			frontend = address
		}
	}
	cfg := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: "sqlite", VisibilityStore: "sqlite", NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{"sqlite": {SQL: database}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: frontend},
		Services:            services,
	}
	cfg.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"}
	cfg.Archival.History.State, cfg.Archival.Visibility.State = "disabled", "disabled"
	cfg.NamespaceDefaults.Archival.History.State, cfg.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	server, err := temporal.NewServer(
		temporal.WithConfig(cfg),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(serverlog.NewNoopLogger()),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
	)
	must(err)
	must(server.Start())
	return server, frontend
}

// fill leaves a running workflow with a signal, a terminated one, and one that is searchable by a list of keywords.
func fill(address string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	client := workflowservice.NewWorkflowServiceClient(connection)
	for i, id := range []string{"thread-running", "thread-ended", "thread-tagged"} {
		_, err = client.StartWorkflowExecution(ctx, &workflowservice.StartWorkflowExecutionRequest{
			Namespace: "default", WorkflowId: id, RequestId: fmt.Sprint(i),
			WorkflowType: &commonpb.WorkflowType{Name: "thread"},
			TaskQueue:    &taskqueuepb.TaskQueue{Name: "threads"},
			Memo:         &commonpb.Memo{Fields: map[string]*commonpb.Payload{"note": json(`"kept"`)}},
			SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{
				"ThreadStatus": json(`"idle"`),
				"ThreadMeta":   json(fmt.Sprintf(`["owner=ann","number=%d"]`, i)),
			}},
		}, grpc.WaitForReady(true))
		must(err)
	}
	_, err = client.SignalWorkflowExecution(ctx, &workflowservice.SignalWorkflowExecutionRequest{
		Namespace: "default", SignalName: "remember", WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "thread-running"},
	})
	must(err)
	_, err = client.TerminateWorkflowExecution(ctx, &workflowservice.TerminateWorkflowExecutionRequest{
		Namespace: "default", WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "thread-ended"},
	})
	must(err)
	for {
		count, err := client.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: "default", Query: `ExecutionStatus = "Terminated" OR ThreadStatus = "idle"`,
		})
		must(err)
		ended, err := client.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: "default", Query: `ExecutionStatus = "Terminated"`,
		})
		must(err)
		if count.GetCount() == 3 && ended.GetCount() == 1 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func json(text string) *commonpb.Payload {
	return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(text)}
}

func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
