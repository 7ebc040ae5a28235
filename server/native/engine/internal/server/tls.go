package server

import (
	"go.temporal.io/server/common/rpc/encryption"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// tlsOf closes every port to who does not have the identity. An authorizer would guard the front end only: the ports of
// the other services know none.
func tlsOf(s Settings) (encryption.TLSConfigProvider, error) {
	server, client, err := s.Identity.Sides()
	if err != nil {
		return nil, err
	}
	provider := &encryption.FixedTLSConfigProvider{InternodeServerConfig: server, InternodeClientConfig: client}
	if !s.IsOpen {
		provider.FrontendServerConfig, provider.FrontendClientConfig = server, client
	}
	return provider, nil
}

// clientTransport is how this process itself calls its front end.
func clientTransport(s Settings) (credentials.TransportCredentials, error) {
	if s.IsOpen {
		return insecure.NewCredentials(), nil
	}
	_, client, err := s.Identity.Sides()
	if err != nil {
		return nil, err
	}
	return credentials.NewTLS(client), nil
}
