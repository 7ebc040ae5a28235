package registry

import (
	"errors"
	"net/http"
	"testing"
)

type taken int

func (t *taken) RoundTrip(*http.Request) (*http.Response, error) {
	*t++
	return &http.Response{}, nil
}

// The library speaks plain HTTP to private networks, where another process may listen.
func TestSpeaksPlainHTTPOnlyOnThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:5000/v2/": true, "http://127.0.0.1:5000/v2/": true, "http://[::1]:5000/v2/": true,
		"https://10.0.0.1/v2/": true, "http://10.0.0.1/v2/": false, "http://registry.local/v2/": false,
	} {
		request, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		var reached taken
		_, err = (&guarded{inner: &reached}).RoundTrip(request)
		if isReached := reached == 1; isReached != want || errors.Is(err, errPlain) == want {
			t.Errorf("%s: reached %v, %v", address, isReached, err)
		}
		if _, err := (&guarded{inner: &reached, isInsecure: true}).RoundTrip(request); err != nil {
			t.Errorf("%s, insecure: %v", address, err)
		}
	}
}
