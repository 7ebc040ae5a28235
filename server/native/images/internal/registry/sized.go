package registry

import (
	"io"
	"net/http"
	"strings"

	"agent-runtime/native/images/internal/failure"
)

// sized bounds what a registry sends as a manifest: the library would read a hundred megabytes.
type sized struct {
	inner http.RoundTripper
	limit int64
}

func (s *sized) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.inner.RoundTrip(request)
	if err == nil && strings.Contains(request.URL.Path, "/manifests/") {
		response.Body = &sizedBody{ReadCloser: response.Body, left: s.limit, limit: s.limit}
	}
	return response, err
}

type sizedBody struct {
	io.ReadCloser
	left, limit int64
}

func (b *sizedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return 0, failure.New(failure.ImageTooLarge, nil, "The image is too large: its manifest has more than %d bytes.", b.limit)
	}
	return n, err
}
