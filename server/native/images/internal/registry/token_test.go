package registry_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent-runtime/native/images/internal/failure"
)

// withTokens is a registry that gives out tokens for a password, as the public ones do, and keeps its blobs on another host.
func withTokens(t *testing.T, f *front, storage string) string {
	t.Helper()
	var own string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			if _, password, _ := r.BasicAuth(); password != "right" || r.URL.Query().Get("scope") != "repository:agents/image:pull" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = fmt.Fprint(w, `{"token": "granted"}`)
			return
		}
		if r.Header.Get("Authorization") != "Bearer granted" {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="test"`, own))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.Contains(r.URL.Path, "/blobs/") {
			http.Redirect(w, r, storage+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	own = server.URL
	return server.Listener.Addr().String()
}

func TestTakesATokenAndShowsItToTheRegistryAlone(t *testing.T) {
	f := &front{cutAfter: 100_000, cuts: 1}
	behind, _ := serve(t, f, false)
	image := large(t)
	f.put(t, behind, "image:1", image)
	var shown []string
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.Header.Get("Authorization"); given != "" {
			shown = append(shown, given)
		}
		f.ServeHTTP(w, r)
	}))
	defer storage.Close()
	// Another name, so another host.
	host := withTokens(t, f, strings.Replace(storage.URL, "127.0.0.1", "localhost", 1))
	store := newStore(t)
	if _, code, sentence := pull(t, store, host+"/agents/image:1", options()); code != failure.RegistryUnauthorized {
		t.Errorf("without credentials: %s %s", code, sentence)
	}
	login := base64.StdEncoding.EncodeToString([]byte("me:right"))
	dockerConfig(t, fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, login))
	result, code, sentence := pull(t, store, host+"/agents/image:1", options())
	if code != "" || result.Digest != image.Digest() || !store.IsComplete(result.Digest, options().Limits) {
		t.Fatalf("%s %s", code, sentence)
	}
	if len(shown) > 0 || len(f.ranges) != 1 {
		t.Errorf("the storage was shown %v and asked for %v", shown, f.ranges)
	}
}
