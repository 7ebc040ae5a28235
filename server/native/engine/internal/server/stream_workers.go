package server

import (
	"go.temporal.io/server/service/frontend"
	"google.golang.org/grpc"
)

// streamWorkers is how many calls of one service run on goroutines that are used again: their stacks have already grown to
// what the server's interceptors need. Further calls at the same time get new goroutines, as without them.
const streamWorkers = 64

func withStreamWorkers(known []grpc.ServerOption) []grpc.ServerOption {
	return append(known, grpc.NumStreamWorkers(streamWorkers))
}

func withFrontendStreamWorkers(known frontend.GrpcServerOptions) frontend.GrpcServerOptions {
	known.Options = withStreamWorkers(known.Options)
	return known
}
