package server

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"

	"agent-runtime/native/engine/internal/database"
	"agent-runtime/native/engine/internal/failure"
)

const readyLimit = 30 * time.Second

// Server is a running engine.
type Server struct {
	temporal temporal.Server
	logs     *Logs
	database *config.SQL
}

// Events is how a running server reports what its caller must pass on.
type Events struct {
	OnDiskFull func()
	OnFatal    func(error)
}

// Start writes the namespaces, starts the services and returns when requests are served.
func Start(ctx context.Context, s Settings, events Events) (*Server, error) {
	// In memory the first connection is the database; there it stays.
	if s.Database.ConnectAttributes["mode"] != "memory" {
		if _, err := database.KeepStatements(s.Database); err != nil {
			return nil, err
		}
	}
	wanted := database.Namespaces{Names: s.Namespaces, SearchAttributes: s.SearchAttributes}
	if err := database.EnsureNamespaces(ctx, s.Database, wanted); err != nil {
		return nil, err
	}
	logs := newLogs(s.LogLevel, s.LogFormat, events.OnDiskFull, events.OnFatal)
	inner, err := newTemporal(s, logs)
	if err != nil {
		return nil, err
	}
	if err := inner.Start(); err != nil {
		return nil, fmt.Errorf("the services did not start: %w", err)
	}
	server := &Server{temporal: inner, logs: logs, database: s.Database}
	ready, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	if err := awaitReady(ready, s); err != nil {
		return nil, failure.New(failure.Internal, err, "The engine did not respond within %s.", readyLimit)
	}
	return server, nil
}

// The worker service is left out: it runs the server's own workflows for batch jobs, schedules of the old kind, worker
// versioning and clusters, of which we use none. Without it starting takes 0.2 s instead of 0.5, stopping 0.1 instead of 1.
var services = []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService}

func newTemporal(s Settings, logs *Logs) (temporal.Server, error) {
	cfg := serverConfig(s)
	encrypted, err := tlsOf(s)
	if err != nil {
		return nil, err
	}
	authorizer, err := authorization.GetAuthorizerFromConfig(&cfg.Global.Authorization)
	if err != nil {
		return nil, err
	}
	claims, err := authorization.GetClaimMapperFromConfig(&cfg.Global.Authorization, logs)
	if err != nil {
		return nil, err
	}
	return temporal.NewServerFx(newNetwork(s).module(),
		temporal.WithConfig(cfg),
		temporal.ForServices(serviceNames()),
		temporal.WithStaticHosts(staticHosts(s)),
		temporal.WithDynamicConfigClient(dynamicConfig(s.DynamicConfig)),
		temporal.WithLogger(logs),
		temporal.WithTLSConfigFactory(encrypted),
		temporal.WithAuthorizer(authorizer),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return claims }),
	)
}

func serviceNames() []string {
	names := make([]string, len(services))
	for i, name := range services {
		names[i] = string(name)
	}
	return names
}

// Stop ends the services within the limit and brings everything from the write-ahead log into the file.
// What was acknowledged is durable either way; running into the limit only skips the tidying.
func (s *Server) Stop(limit time.Duration) {
	s.logs.Quiet()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = s.temporal.Stop()
		_ = database.Checkpoint(s.database)
	}()
	select {
	case <-stopped:
	case <-time.After(limit):
	}
}
