package server

import (
	"context"
	"maps"
	"net"

	"go.temporal.io/server/chasm"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
	"go.temporal.io/server/common/persistence/serialization"
	"go.temporal.io/server/common/pprof"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/resource"
	"go.temporal.io/server/service/frontend"
	"go.temporal.io/server/service/history"
	"go.temporal.io/server/service/history/replication"
	"go.temporal.io/server/service/matching"
	"go.temporal.io/server/temporal"
	"go.uber.org/fx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"
)

// How much one service may write to another before it has to wait.
const pipeBytes = 256 << 10

// network connects the services within this process. History and matching have no port: a process that reached one could make
// the front end's clients run anything, and neither authenticates its callers.
type network struct {
	pipes    map[primitives.ServiceName]*bufconn.Listener
	unlisted string
}

func newNetwork(s Settings) network {
	return network{
		pipes: map[primitives.ServiceName]*bufconn.Listener{
			primitives.HistoryService:  bufconn.Listen(pipeBytes),
			primitives.MatchingService: bufconn.Listen(pipeBytes),
		},
		unlisted: s.Unlisted,
	}
}

// dialing adds to what a service calls the others with.
func (n network) dialing(known map[primitives.ServiceName][]grpc.DialOption) map[primitives.ServiceName][]grpc.DialOption {
	added := maps.Clone(known)
	for name, listener := range n.pipes {
		dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
		added[name] = append(added[name], grpc.WithContextDialer(dial))
	}
	return added
}

// module is temporal.TopLevelModule with the services that we start, which has no option for how they reach each other.
func (n network) module() fx.Option {
	return fx.Options(
		fx.Provide(
			temporal.NewServerFxImpl,
			temporal.ServerOptionsProvider,
			temporal.TaskCategoryRegistryProvider,
			temporal.ApplyClusterMetadataConfigProvider,
			resource.ArchivalMetadataProvider,
			n.history,
			n.matching,
			n.frontend,
		),
		dynamicconfig.Module,
		pprof.Module,
		temporal.TraceExportModule,
		chasm.Module,
		serialization.Module,
		temporal.FxLogAdapter,
		fx.Invoke(temporal.ServerLifetimeHooks),
	)
}

type serviceParams = temporal.ServiceProviderParamsCommon

func (n network) history(p serviceParams) (temporal.ServicesGroupOut, error) {
	return n.service(p, primitives.HistoryService, history.QueueModule, history.Module, replication.Module,
		fx.Decorate(withStreamWorkers), fx.Decorate(n.unlisting))
}

func (n network) matching(p serviceParams) (temporal.ServicesGroupOut, error) {
	return n.service(p, primitives.MatchingService, matching.Module, fx.Decorate(withStreamWorkers))
}

func (n network) frontend(p serviceParams) (temporal.ServicesGroupOut, error) {
	return n.service(p, primitives.FrontendService,
		fx.Supply(p.CustomFrontendInterceptors),
		fx.Decorate(func() authorization.ClaimMapper { return p.ClaimMapper }),
		fx.Decorate(func() log.SnTaggedLogger { return log.With(p.Logger, tag.Service(primitives.FrontendService)) }),
		frontend.Module,
		fx.Decorate(withFrontendStreamWorkers),
	)
}

func (n network) service(p serviceParams, name primitives.ServiceName, modules ...fx.Option) (temporal.ServicesGroupOut, error) {
	options := []fx.Option{p.GetCommonServiceOptions(name), fx.Decorate(n.dialing), fx.Options(modules...)}
	if inside, hasNoPort := n.pipes[name]; hasNoPort {
		options = append(options, fx.Decorate(func() net.Listener { return inside }))
	}
	app := fx.New(options...)
	return temporal.NewService(app, name, p.Logger), app.Err()
}
