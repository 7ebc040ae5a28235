package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"agent-runtime/native/images/internal/failure"
)

var errPlain = errors.New("the registry speaks plain HTTP")

// explain turns the library's error into a code and a sentence. What the registry wrote is not repeated.
func explain(ref name.Reference, err error) error {
	host := ref.Context().RegistryStr()
	var known *failure.Failure
	var status *transport.Error
	var connection net.Error
	var address *url.Error
	switch {
	case errors.As(err, &known):
		return known
	case isCertificate(err):
		return failure.New(failure.CertificateNotTrusted, err,
			"The certificate of %s is not trusted: %s. Name its authority with --registry-ca-file or --registry-ca-data.", host, certificateReason(err))
	case errors.Is(err, errPlain):
		return failure.New(failure.RegistryUnreachable, err,
			"%s was not reached over TLS, and plain HTTP is only spoken with --registry-insecure.", host)
	case errors.As(err, &status):
		return ofStatus(ref, status)
	case isEnded(err):
		return err
	case errors.As(err, &connection), errors.As(err, &address), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return failure.New(failure.RegistryUnreachable, err, "%s cannot be reached: %s.", host, connectionReason(err))
	}
	return failure.New(failure.RegistryFailed, err, "%s gave a response that cannot be used: %v.", host, err)
}

func ofStatus(ref name.Reference, err *transport.Error) error {
	host := ref.Context().RegistryStr()
	switch {
	case err.StatusCode == http.StatusUnauthorized, err.StatusCode == http.StatusForbidden:
		return failure.New(failure.RegistryUnauthorized, err,
			"%s does not give out %s: log in with docker login, or the image does not exist.", host, ref.Name())
	case err.StatusCode == http.StatusNotFound:
		return failure.New(failure.ImageNotFound, err, "There is no image %s.", ref.Name())
	case err.StatusCode == http.StatusTooManyRequests:
		return failure.New(failure.RegistryFailed, err, "%s takes no more requests for now (429); try again later, or log in.", host)
	}
	return failure.New(failure.RegistryFailed, err, "%s failed with status %d.", host, err.StatusCode)
}

func isCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}

func certificateReason(err error) string {
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &hostname):
		return "it is of another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it is not valid at this time"
	}
	return "it is of an unknown authority"
}

func connectionReason(err error) string {
	var lookup *net.DNSError
	var connection net.Error
	var operation *net.OpError
	switch {
	case errors.As(err, &lookup):
		return "its name is not known"
	case errors.As(err, &connection) && connection.Timeout():
		return "it does not respond"
	case errors.As(err, &operation):
		return operation.Err.Error()
	}
	return "the connection broke"
}

var helperName = regexp.MustCompile(`docker-credential-[\w.-]+`)

// credentialsFailed repeats nothing that a helper printed: it may be a password.
func credentialsFailed(host string, err error) error {
	if helper := helperName.FindString(err.Error()); helper != "" {
		return failure.New(failure.CredentialsFailed, err,
			"The credentials for %s cannot be had: the credential helper %s is not installed or failed.", host, helper)
	}
	return failure.New(failure.CredentialsFailed, err,
		"The credentials for %s cannot be had: Docker's configuration cannot be read or its credential helper failed.", host)
}
