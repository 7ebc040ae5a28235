// Package identity distinguishes the engine's own clients and services from all others on the machine: one certificate,
// whose key is known to them alone. A client shows it and checks that the other side has it, too.
package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"time"
)

// ServerName is the name in every certificate; loopback addresses do not identify the listener.
const ServerName = "engine"

// Identity is the certificate with its key, and the authority that it comes from; all PEM, as the supervisor keeps them
// over restarts.
type Identity struct {
	Authority   string `json:"authority"`
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

// The identity is forgotten with the processes that know it. A date would only break it when the clock is wrong.
var (
	validFrom  = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	validUntil = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
)

// New makes an identity that no other process knows. It takes about a millisecond.
func New() (*Identity, error) {
	authority := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Agent Runtime engine authority"},
		NotBefore:             validFrom,
		NotAfter:              validUntil,
		BasicConstraintsValid: true,
		IsCA:                  true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	// BoringSSL, which is Electron's, takes no certificate that is its own authority, and rustls none that may sign others.
	leaf := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Agent Runtime engine"},
		DNSNames:              []string{ServerName},
		NotBefore:             validFrom,
		NotAfter:              validUntil,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	// Its key is dropped: there is never a second certificate.
	signer, err := newKey()
	if err != nil {
		return nil, err
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, signer.Public(), signer)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), signer)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &Identity{
		Authority:   encoded("CERTIFICATE", root),
		Certificate: encoded("CERTIFICATE", certificate),
		Key:         encoded("PRIVATE KEY", secret),
	}, nil
}

// Not Ed25519: BoringSSL takes none by default.
func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func encoded(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// Sides gives the settings of the two ends of a connection; each accepts only a peer with this identity.
func (i *Identity) Sides() (server, client *tls.Config, err error) {
	pair, err := tls.X509KeyPair([]byte(i.Certificate), []byte(i.Key))
	if err != nil {
		return nil, nil, err
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(i.Authority)) {
		return nil, nil, errors.New("the authority is no certificate")
	}
	both := tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	server, client = both.Clone(), both.Clone()
	server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, trusted
	client.ServerName, client.RootCAs = ServerName, trusted
	return server, client, nil
}
