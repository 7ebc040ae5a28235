package server

import (
	"go.temporal.io/server/common/rpc/encryption"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// tlsOf closes the port to clients without the identity. An authorizer would do so as well, but then a client would send
// its secret to any process that listens on a port that an engine has left.
func tlsOf(s Settings) (encryption.TLSConfigProvider, error) {
	if s.Identity == nil {
		return &encryption.FixedTLSConfigProvider{}, nil
	}
	server, client, err := s.Identity.Sides()
	if err != nil {
		return nil, err
	}
	return &encryption.FixedTLSConfigProvider{FrontendServerConfig: server, FrontendClientConfig: client}, nil
}

// clientTransport is how this process itself calls its front end.
func clientTransport(s Settings) (credentials.TransportCredentials, error) {
	if s.Identity == nil {
		return insecure.NewCredentials(), nil
	}
	_, client, err := s.Identity.Sides()
	if err != nil {
		return nil, err
	}
	return credentials.NewTLS(client), nil
}
