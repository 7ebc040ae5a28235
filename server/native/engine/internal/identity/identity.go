// Package identity tells the engine's own clients and services from everybody else on the machine: one certificate, whose
// key is known to them alone. Whoever connects shows it and checks that the other side has it, too.
package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"time"
)

// ServerName is the name in every certificate; addresses of loopback say nothing about who listens there.
const ServerName = "engine"

// Identity is the certificate and its key in PEM, as the supervisor keeps them over restarts.
type Identity struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

// The identity is forgotten with the processes that know it. A date would only break it when the clock is wrong.
var (
	validFrom  = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	validUntil = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
)

// New makes an identity that nobody knows yet. It takes less than a millisecond.
func New() (*Identity, error) {
	// Not Ed25519: the TLS of Electron does not take it.
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Agent Runtime engine"},
		DNSNames:              []string{ServerName},
		NotBefore:             validFrom,
		NotAfter:              validUntil,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &Identity{Certificate: encoded("CERTIFICATE", certificate), Key: encoded("PRIVATE KEY", secret)}, nil
}

func encoded(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// Sides gives the settings of the two ends of a connection; each takes nobody but who has this identity.
func (i *Identity) Sides() (server, client *tls.Config, err error) {
	pair, err := tls.X509KeyPair([]byte(i.Certificate), []byte(i.Key))
	if err != nil {
		return nil, nil, err
	}
	// The certificate is its own authority.
	trusted := x509.NewCertPool()
	trusted.AddCert(pair.Leaf)
	both := tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	server, client = both.Clone(), both.Clone()
	server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, trusted
	client.ServerName, client.RootCAs = ServerName, trusted
	return server, client, nil
}
