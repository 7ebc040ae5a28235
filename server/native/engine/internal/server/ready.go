package server

import (
	"context"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

const (
	frontendService = "temporal.api.workflowservice.v1.WorkflowService"
	readyPause      = 10 * time.Millisecond
)

// awaitReady returns when the front end reports SERVING and a request has gone through to the history service and back.
func awaitReady(ctx context.Context, s Settings) error {
	transport, err := clientTransport(s)
	if err != nil {
		return err
	}
	connection, err := grpc.NewClient(Address(s.IP, s.Port), grpc.WithTransportCredentials(transport))
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	for {
		if isServing(ctx, connection) && isHistoryServing(ctx, connection, s.Namespaces[0]) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readyPause):
		}
	}
}

func isServing(ctx context.Context, connection *grpc.ClientConn) bool {
	response, err := healthpb.NewHealthClient(connection).Check(ctx, &healthpb.HealthCheckRequest{Service: frontendService}, grpc.WaitForReady(true))
	return err == nil && response.GetStatus() == healthpb.HealthCheckResponse_SERVING
}

// A workflow that does not exist is looked for in the shard, which is acquired only after the health check is green.
func isHistoryServing(ctx context.Context, connection *grpc.ClientConn, namespace string) bool {
	_, err := workflowservice.NewWorkflowServiceClient(connection).DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: namespace,
		Execution: &commonpb.WorkflowExecution{WorkflowId: "engine-ready-check"},
	})
	return err == nil || status.Code(err) == codes.NotFound
}
