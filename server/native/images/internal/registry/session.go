// Package registry moves images between registries and the cache.
package registry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// Trust is which servers a connection trusts.
type Trust struct {
	// CA has PEM certificates beside the authorities of this machine; empty: none.
	CA []byte
	// Insecure checks no certificate, and speaks plain HTTP where the registry has no TLS.
	Insecure bool
}

const (
	dialLimit      = 10 * time.Second
	handshakeLimit = 10 * time.Second
)

// ParseReference reads the name of an image as Docker does: `python:3.12` is one of Docker Hub.
func ParseReference(text string, trust Trust) (name.Reference, error) {
	options := []name.Option{name.WeakValidation}
	if trust.Insecure {
		options = append(options, name.Insecure)
	}
	ref, err := name.ParseReference(text, options...)
	// The library takes it; Docker does not, and it is a misplaced flag.
	if err != nil || strings.HasPrefix(text, "-") {
		return nil, failure.New(failure.ReferenceInvalid, err, "%q is not the name of an image.", text)
	}
	return ref, nil
}

// session is a connection to one repository, with its credentials.
type session struct {
	ref       name.Reference
	transport http.RoundTripper
}

// open reads the credentials of Docker's configuration and pings the registry.
func open(ctx context.Context, ref name.Reference, trust Trust, scope string, l limits.Limits) (*session, error) {
	base, err := newTransport(trust, l)
	if err != nil {
		return nil, err
	}
	repository := ref.Context()
	auth, err := authn.Resolve(ctx, authn.DefaultKeychain, repository)
	if err != nil {
		return nil, credentialsFailed(repository.RegistryStr(), err)
	}
	scopes := []string{repository.Scope(scope)}
	greeted, err := transport.NewWithContext(ctx, repository.Registry, auth, base, scopes)
	if err != nil {
		return nil, explain(ref, err)
	}
	return &session{ref: ref, transport: greeted}, nil
}

func newTransport(trust Trust, l limits.Limits) (http.RoundTripper, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: trust.Insecure} //nolint:gosec // asked for
	if len(trust.CA) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(trust.CA) {
			return nil, failure.New(failure.Usage, nil, "The given CA holds no PEM certificate.")
		}
		config.RootCAs = pool
	}
	base := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialLimit, KeepAlive: limits.Idle}).DialContext,
		TLSClientConfig:       config,
		TLSHandshakeTimeout:   handshakeLimit,
		ResponseHeaderTimeout: limits.Idle,
		IdleConnTimeout:       limits.Idle,
		MaxIdleConnsPerHost:   limits.ParallelDownloads,
		ForceAttemptHTTP2:     true,
	}
	return transport.NewRetry(&guarded{inner: &sized{inner: base, limit: l.ManifestBytes}, isInsecure: trust.Insecure}), nil
}

// guarded keeps credentials and images from travelling in clear text, but on this machine.
type guarded struct {
	inner      http.RoundTripper
	isInsecure bool
}

func (g *guarded) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme == "https" || g.isInsecure || isLoopback(request.URL.Hostname()) {
		return g.inner.RoundTrip(request)
	}
	return nil, errPlain
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
